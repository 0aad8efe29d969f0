// A hook keeps a run out of one folder, and another hides what a tool found.
import { createAgent, type Hook } from "warder";

const noTests: Hook = {
  name: "no-tests",
  tools: ["edit_file", "read_file"],
  beforeTool: ({ input }) => (JSON.stringify(input).includes("test/") ? { block: "Tests are not for agents." } : undefined),
};
const brief: Hook = {
  name: "brief",
  tools: ["read_file"],
  afterTool: (_call, { isError }) => (isError ? undefined : { text: "It has one function, linePrice." }),
};

const agent = createAgent({ policy: "policy.yaml", model: "scripted:hooks.yaml", workspace: "../demo/repository", hooks: [noTests, brief] });
const run = agent.run("Look at the code and its tests.");
for await (const event of run) if (event.kind === "tool-result") console.log(event.text);
console.log((await run.result).end.text);
