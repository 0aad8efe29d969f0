import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { untrustedError, untrustedText } from "../contract/result.ts";
import type { DelegationEnd, ToolContext } from "../contract/tool.ts";
import { nameIn, type Round, roundsOf } from "./loops.ts";
import { orderOf } from "./order.ts";
import { agentCrewSchema } from "./schemas.ts";

type CrewMember = z.output<typeof agentCrewSchema>["agents"][number];

/** Gives tasks to several sub-agents, which work side by side or one behind others, and waits for all of their ends. */
export const agentCrewTool = defineTool({
  name: "agent_crew",
  aliases: TOOL_NAMES.agent_crew,
  description:
    "Gives tasks to several sub-agents at once, in this workspace, and returns how each ended and the last that it says. A few work side by side; `after` makes one wait for others; `loop` has a part of the crew begin again while one of them says so. Their calls are decided as yours are, and count as yours.",
  schema: agentCrewSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, timeoutMs: "run" },
  validate: ({ agents }) => {
    const plan = planOf(agents);
    return typeof plan === "string" ? plan : null;
  },
  requests: ({ agents }) => agents.map(({ task }) => ({ kind: "delegate", task })),
  async execute({ agents }, context) {
    const plan = planOf(agents);
    if (typeof plan === "string") return untrustedError(plan);
    const ends = await carryOut(plan, context);
    const all = agents.flatMap(({ name }) => {
      const last = ends.get(name);
      return last === undefined ? [] : [{ name: last.round === 1 ? name : `${name} (round ${String(last.round)})`, end: last.end }];
    });
    // How each ended stands before all that they say: of a long result the model is shown the beginning.
    const text = [...all.map(({ name, end }) => `${name}: ${endingOf(end)}`), ...all.flatMap(({ name, end }) => wordsOf(name, end))].join("\n");
    return all.every(({ end }) => end.kind === "ended" && end.isDone) ? untrustedText(text) : untrustedError(text);
  },
});

type Plan = { readonly order: readonly CrewMember[]; readonly rounds: readonly Round[] };

function planOf(agents: readonly CrewMember[]): Plan | string {
  const order = orderOf(agents);
  if (typeof order === "string") return order;
  const rounds = roundsOf(order);
  return typeof rounds === "string" ? rounds : { order, rounds };
}

/** Of its last round. */
type Ends = ReadonlyMap<string, { readonly end: DelegationEnd; readonly round: number }>;

async function carryOut({ order, rounds }: Plan, { handles, progress }: ToolContext): Promise<Ends> {
  const ends = new Map<string, { readonly end: DelegationEnd; readonly round: number }>();
  const run = async (
    { name: own, task, after = [], tools, read_only: isReadOnly = false }: CrewMember,
    round: number,
    told: readonly string[],
  ): Promise<void> => {
    const name = nameIn(own, round);
    const before = [...after.map((other) => nameIn(other, ends.get(other)?.round ?? 1)), ...told];
    const end = await handles.agents.run({ name, task, isReadOnly, ...(before.length > 0 && { after: before }), ...(tools && { tools }) });
    ends.set(own, { end, round });
    progress(`${name}: ${endingOf(end)}`);
  };
  const over = new Map<string, Promise<void>>();
  const isOver = (names: readonly string[] = []): Promise<unknown> => Promise.all(names.flatMap((name) => over.get(name) ?? []));
  const once = async (member: CrewMember): Promise<void> => {
    await isOver(member.after);
    await run(member, 1, []);
  };
  const loop = async ({ end, loop: { to, when, times }, members }: Round): Promise<void> => {
    for (let round = 1; ; round += 1) {
      const going = new Map<string, Promise<void>>();
      for (const member of order.filter(({ name }) => members.has(name))) {
        const inner = (member.after ?? []).flatMap((other) => going.get(other) ?? []);
        const outer = (member.after ?? []).filter((other) => !members.has(other));
        const told = round > 1 && member.name === to ? [nameIn(end, round - 1)] : [];
        going.set(
          member.name,
          Promise.all([isOver(outer), ...inner]).then(() => run(member, round, told)),
        );
      }
      await Promise.all(going.values());
      const last = ends.get(end)?.end;
      if (round > times || last?.kind !== "ended" || !last.isDone || !last.text.includes(when)) return;
    }
  };
  // Each waits a moment, so that all that it may wait for is there.
  for (const round of rounds) {
    const ended = Promise.resolve().then(() => loop(round));
    for (const name of round.members) over.set(name, ended);
  }
  for (const member of order)
    if (!over.has(member.name))
      over.set(
        member.name,
        Promise.resolve().then(() => once(member)),
      );
  await Promise.all(over.values());
  return ends;
}

function endingOf(end: DelegationEnd): string {
  if (end.kind === "ended") return `sub-agent ${end.runId}: ${end.ending}`;
  return end.kind === "parked" ? "waits for a person" : end.reason;
}

function wordsOf(name: string, end: DelegationEnd): readonly string[] {
  return end.kind === "ended" ? ["", `What ${name} says:`, end.text] : [];
}
