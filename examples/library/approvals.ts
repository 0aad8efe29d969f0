// A function answers what the policy asks.
import { createAgent } from "warder";

const agent = createAgent({
  policy: "policy.yaml",
  model: "scripted:approvals.yaml",
  workspace: "../demo/repository",
  approvals: (card) => {
    console.log(`asked: ${card.commands.join("; ")}`);
    const isFine = card.commands.every((command) => command === "rm README.md");
    return isFine ? { kind: "granted", scope: "once", by: "ann" } : { kind: "refused", scope: "once", by: "ann", message: "Keep the code." };
  },
});
const { end, summary } = await agent.run("Clean up.").result;
console.log(end.text);
console.log(`changed: ${(summary.changes?.paths ?? []).join(", ")}`);
