import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { agentCrewSchema } from "./schemas.ts";
import { untrustedError, untrustedText } from "../contract/result.ts";
import type { DelegationEnd } from "../contract/tool.ts";
import { orderOf } from "./order.ts";

/** Gives tasks to several sub-agents, which work side by side or one behind others, and waits for all of their ends. */
export const agentCrewTool = defineTool({
  name: "agent_crew",
  aliases: TOOL_NAMES.agent_crew,
  description:
    "Gives tasks to several sub-agents at once, in this workspace, and returns how each ended and the last that it says. A few work side by side; `after` makes one wait for others. Their calls are decided as yours are, and count as yours.",
  schema: agentCrewSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, timeoutMs: "run" },
  validate: ({ agents }) => {
    const order = orderOf(agents);
    return typeof order === "string" ? order : null;
  },
  requests: ({ agents }) => agents.map(({ task }) => ({ kind: "delegate", task })),
  async execute({ agents }, { handles, progress }) {
    const order = orderOf(agents);
    if (typeof order === "string") return untrustedError(order);
    const ends = new Map<string, DelegationEnd>();
    await Promise.all(
      order.map(async ({ name, task, after, tools, read_only: isReadOnly = false }) => {
        const end = await handles.agents.run({ name, task, isReadOnly, ...(after && { after }), ...(tools && { tools }) });
        ends.set(name, end);
        progress(`${name}: ${endingOf(end)}`);
      }),
    );
    const all = agents.flatMap(({ name }) => {
      const end = ends.get(name);
      return end === undefined ? [] : [{ name, end }];
    });
    // How each ended stands before all that they say: of a long result the model is shown the beginning.
    const text = [...all.map(({ name, end }) => `${name}: ${endingOf(end)}`), ...all.flatMap(({ name, end }) => wordsOf(name, end))].join("\n");
    return all.every(({ end }) => end.kind === "ended" && end.isDone) ? untrustedText(text) : untrustedError(text);
  },
});

function endingOf(end: DelegationEnd): string {
  if (end.kind === "ended") return `sub-agent ${end.runId}: ${end.ending}`;
  return end.kind === "parked" ? "waits for a person" : end.reason;
}

function wordsOf(name: string, end: DelegationEnd): readonly string[] {
  return end.kind === "ended" ? ["", `What ${name} says:`, end.text] : [];
}
