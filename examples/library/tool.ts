// An agent with a tool of one's own.
import { createAgent, defineTool } from "warder";
import { z } from "zod";

const stock = defineTool({
  name: "stock",
  description: "Says how many of an article are in stock.",
  schema: z.object({ article: z.string().describe("Its name.") }),
  execute: ({ article }) => `${article}: ${article === "lamp" ? 7 : 0}`,
});

const agent = createAgent({ policy: "policy.yaml", model: "scripted:tool.yaml", workspace: "../demo/repository", tools: [stock] });
const { end } = await agent.run("How many lamps are there?").result;
console.log(end.text);
