import { EFFECT_KINDS } from "../../programs/effect.ts";
import { canonicalJson } from "../../base/digest.ts";
import { withoutPlaces } from "../hook.ts";
import type { Policy, WindowLimit } from "../policy.ts";
import { durationText } from "../text/quantity.ts";
import type { Budget } from "./budget.ts";
import type { ChangedPart, Difference, Direction, Group } from "./difference.ts";
import { networkSettingChanges } from "./network-changes.ts";

/** What no single call shows: limits, the sandbox, who is asked, hooks. */
export function settingDifferences(before: Policy, after: Policy, budget: Budget): readonly Difference[] {
  const found: Difference[] = [];
  const note = (group: Group, direction: Direction | null, part: ChangedPart): void => {
    if (direction !== null) found.push({ group, direction, part });
  };
  const place = (key: string): Pick<ChangedPart, "at"> => {
    const at = after.positions?.get(key) ?? before.positions?.get(key);
    return at === undefined ? {} : { at };
  };
  for (const [key, read, text = String] of NUMBERS) {
    const [was, is] = [read(before), read(after)];
    const direction = was === is ? null : is === null || (was !== null && is > was) ? "widens" : "tightens";
    note(key.startsWith("sandbox") ? "sandbox" : "limits", direction, {
      what: key,
      was: was === null ? "no limit" : text(was),
      is: is === null ? "no limit" : text(is),
      ...place(key),
    });
  }
  for (const [group, key, read, strictFirst] of CHOICES) {
    const [was, is] = [read(before), read(after)];
    if (was === is) continue;
    const order = strictFirst.indexOf(is ?? "") - strictFirst.indexOf(was ?? "");
    note(group, strictFirst.length === 0 || order === 0 ? "may-widen" : order > 0 ? "widens" : "tightens", { what: key, was, is, ...place(key) });
  }
  found.push(
    ...windowDifferences(before, after),
    ...variables(before, after, place("sandbox.env")),
    ...approvers(before, after, place),
    ...hooks(before, after),
  );
  for (const change of networkSettingChanges(before, after, budget)) found.push({ group: "sandbox", ...change });
  for (const [scope, key] of TRAFFIC) {
    const read = ({ sandbox }: Policy): number | null => (sandbox.network.limits?.[scope] as Readonly<Record<string, number>> | undefined)?.[key] ?? null;
    const [was, is] = [read(before), read(after)];
    const direction = was === is ? null : is === null || (was !== null && is > was) ? "widens" : "tightens";
    note("limits", direction, {
      what: `sandbox.network.limits.${scope}.${key}`,
      was: was === null ? "no limit" : String(was),
      is: is === null ? "no limit" : String(is),
      ...place("sandbox.network.limits"),
    });
  }
  return found;
}

const bytes = (count: number): string =>
  count % 1024 ** 3 === 0 ? `${String(count / 1024 ** 3)} GiB` : count % 1024 ** 2 === 0 ? `${String(count / 1024 ** 2)} MiB` : `${String(count)} bytes`;

/** Of each, the smaller is the stricter; null is no limit. */
const NUMBERS: readonly (readonly [key: string, read: (policy: Policy) => number | null, text?: (value: number) => string])[] = [
  ["limits.run.turns", ({ limits }) => limits.run.turns],
  ["limits.run.tokens", ({ limits }) => limits.run.tokens],
  ["limits.run.minutes", ({ limits }) => limits.run.minutes],
  ["limits.run.actions", ({ limits }) => limits.run.actions],
  ["limits.run.calls", ({ limits }) => limits.run.calls],
  ["limits.run.asks", ({ limits }) => limits.run.asks],
  ["limits.run.max-usd", ({ limits }) => limits.run.maxUsd],
  ["limits.run.sub-agents", ({ limits }) => limits.run.subAgents ?? 8],
  ["limits.run.sub-agent-depth", ({ limits }) => limits.run.subAgentDepth ?? 1],
  ["sandbox.memory", ({ sandbox }) => sandbox.memoryBytes, bytes],
  ["sandbox.cpus", ({ sandbox }) => sandbox.cpus],
  ["sandbox.processes", ({ sandbox }) => sandbox.processes],
  ["sandbox.command-timeout", ({ sandbox }) => sandbox.commandTimeoutMs, durationText],
  ["sandbox.output", ({ sandbox }) => sandbox.outputBytes, bytes],
];

/** Each with its values from strict to loose; without any, none of them is stricter. */
const CHOICES: readonly (readonly [group: Group, key: string, read: (policy: Policy) => string | null, strictFirst: readonly string[]])[] = [
  ["sandbox", "sandbox.runtime", ({ sandbox }) => sandbox.runtime, ["docker", "bubblewrap"]],
  ["sandbox", "sandbox.workspace", ({ sandbox }) => sandbox.workspace, ["none", "transactional", "bind"]],
  ["sandbox", "sandbox.engine-runtime", ({ sandbox }) => sandbox.engineRuntime ?? "the engine's choice", ["runsc", "runc", "the engine's choice"]],
  ["sandbox", "sandbox.image", ({ sandbox }) => sandbox.image ?? null, []],
  ["people", "unattended.on-ask", ({ unattended }) => unattended.onAsk, ["deny", "park"]],
  [
    "people",
    "commands.git-identity",
    ({ commands }) => (commands.gitIdentity === undefined ? null : `${commands.gitIdentity.name} <${commands.gitIdentity.email}>`),
    [],
  ],
];

const TRAFFIC = (["connection", "host", "run"] as const).flatMap((scope) =>
  (["bytesUp", "bytesDown", "requestsPerMinute", "connections"] as const).map((key) => [scope, key] as const),
);

function windowText({ meter, max, perMs, scope }: WindowLimit): string {
  const amount = meter === "cost" ? `${String(max / 1_000_000)} USD` : String(meter === "minutes" ? max / 60_000 : max);
  return `${scope === "schedule" ? "each job: " : ""}${amount} per ${durationText(perMs)}`;
}

/** Whoever keeps the first window keeps the second one, too. */
function implies(one: WindowLimit, other: WindowLimit): boolean {
  return one.meter === other.meter && one.scope === other.scope && other.max >= one.max * Math.max(1, Math.ceil(other.perMs / one.perMs));
}

function windowDifferences(before: Policy, after: Policy): readonly Difference[] {
  const lost = before.limits.windows.filter((window) => !after.limits.windows.some((other) => implies(other, window)));
  const added = after.limits.windows.filter((window) => !before.limits.windows.some((other) => implies(other, window)));
  const difference = (window: WindowLimit, isLost: boolean): Difference => {
    const key = `${window.scope === "schedule" ? "limits.schedule" : "limits"}.${window.meter}`;
    const beside = strictestOf(window, (isLost ? after : before).limits.windows) ?? (isLost ? added : lost).find((other) => isOfKind(other, window));
    const at = after.positions?.get(key) ?? before.positions?.get(key);
    const [own, other] = [windowText(window), beside === undefined ? "no limit" : windowText(beside)];
    return {
      group: "limits",
      direction: isLost ? "widens" : "tightens",
      part: { what: key, was: isLost ? own : other, is: isLost ? other : own, ...(at === undefined ? {} : { at }) },
    };
  };
  return [...lost.map((window) => difference(window, true)), ...added.map((window) => difference(window, false))];
}

function isOfKind({ meter, scope }: WindowLimit, window: WindowLimit): boolean {
  return meter === window.meter && scope === window.scope;
}

/** Of the windows over the same time. */
function strictestOf(window: WindowLimit, all: readonly WindowLimit[]): WindowLimit | undefined {
  return all.filter((other) => isOfKind(other, window) && other.perMs === window.perMs).toSorted((one, other) => one.max - other.max)[0];
}

function variables(before: Policy, after: Policy, place: Pick<ChangedPart, "at">): readonly Difference[] {
  const [older, newer] = [before.sandbox.env, after.sandbox.env];
  return [
    ...newer
      .filter((name) => !older.includes(name))
      .map((name): Difference => ({ group: "sandbox", direction: "widens", part: { what: `variable ${name}`, was: "kept out", is: "passed", ...place } })),
    ...older
      .filter((name) => !newer.includes(name))
      .map((name): Difference => ({ group: "sandbox", direction: "tightens", part: { what: `variable ${name}`, was: "passed", is: "kept out", ...place } })),
  ];
}

function approvers({ approvals: one }: Policy, { approvals: other }: Policy, place: (key: string) => Pick<ChangedPart, "at">): readonly Difference[] {
  return EFFECT_KINDS.flatMap((kind) => {
    const [was, is] = [one?.approvers[kind] ?? 1, other?.approvers[kind] ?? 1];
    const [wanted, wants] = [one?.codes.includes(kind) === true, other?.codes.includes(kind) === true];
    return [
      ...(was === is
        ? []
        : [
            {
              group: "people",
              direction: is < was ? "widens" : "tightens",
              part: { what: `approvals.approvers.${kind}`, was: String(was), is: String(is), ...place("approvals.approvers") },
            } as const,
          ]),
      ...(wanted === wants
        ? []
        : [
            {
              group: "people",
              direction: wanted ? "widens" : "tightens",
              part: { what: `approvals.codes ${kind}`, was: String(wanted), is: String(wants), ...place("approvals.codes") },
            } as const,
          ]),
    ];
  });
}

/** Hooks only restrict, and what their commands do is known to nobody here. */
function hooks(before: Policy, after: Policy): readonly Difference[] {
  const [older, newer] = [before.hooks ?? [], after.hooks ?? []];
  const text = (hook: (typeof older)[number]): string => canonicalJson(withoutPlaces([hook]));
  const [known, knows] = [new Set(older.map(text)), new Set(newer.map(text))];
  const gone = older.filter((hook) => !knows.has(text(hook)));
  const added = newer.filter((hook) => !known.has(text(hook)));
  return [
    ...gone.map(({ id, on, at }): Difference => {
      const isReplaced = added.some((other) => other.id === id);
      return {
        group: "people",
        direction: "may-widen",
        part: { what: `hook ${id}`, was: on.join(", "), is: isReplaced ? "another command" : null, at },
        why: "what a hook's command refuses is known only when it runs",
      };
    }),
    ...added
      .filter(({ id }) => !gone.some((other) => other.id === id))
      .map(({ id, on, at }): Difference => ({ group: "people", direction: "tightens", part: { what: `hook ${id}`, was: null, is: on.join(", "), at } })),
  ];
}
