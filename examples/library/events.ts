// What a run does, as it does it.
import { createAgent } from "warder";

const agent = createAgent({ policy: "policy.yaml", model: "scripted:events.yaml", workspace: "../demo/repository" });
const run = agent.run("Fix the failing test.");
for await (const event of run) {
  if (event.kind === "message-delta") process.stdout.write(event.text);
  if (event.kind === "message-end") process.stdout.write("\n");
  if (event.kind === "ruling") console.log(`${event.ruling.tool}: ${event.ruling.decision.verdict}`);
}
const { summary } = await run.result;
console.log(`changed: ${(summary.changes?.paths ?? []).join(", ")}`);
