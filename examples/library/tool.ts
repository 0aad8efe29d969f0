// An agent with a tool of one's own, a policy that was loaded before, and a named runtime.
import { createAgent, defineTool, dockerRuntime, loadPolicy } from "warder";
import { z } from "zod";

const stock = defineTool({
  name: "stock",
  description: "Says how many of an article are in stock.",
  schema: z.object({ article: z.string().describe("Its name.") }),
  execute: ({ article }) => `${article}: ${article === "lamp" ? 7 : 0}`,
});

const workspace = "../demo/repository";
const policy = loadPolicy("policy.yaml", { workspace });
const agent = createAgent({ policy, model: "scripted:tool.yaml", workspace, tools: [stock], runtime: dockerRuntime() });
const { end } = await agent.run("How many lamps are there?").result;
console.log(end.text);
