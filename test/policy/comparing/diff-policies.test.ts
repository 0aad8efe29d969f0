import { describe, expect, test } from "vitest";
import { STEPS } from "../../../src/policy/comparing/budget.ts";
import { diffPolicies } from "../../../src/policy/comparing/diff-policies.ts";
import { type Difference, outcomeOf } from "../../../src/policy/comparing/difference.ts";
import { Deciders } from "../../../src/policy/comparing/wanted.ts";
import { strictness } from "../../../src/policy/deciding/evaluate.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { drawCalls, holdPair, newTally } from "../../../toolbox/soak/policy-diff/hold.ts";
import { CONTEXT, policyOf, policyText } from "../bench.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const WRITABLE = "workspace: { roots: [{ path: ., access: read-write }] }";
const BOUND = `${WRITABLE}\nsandbox: { workspace: bind }`;

const LISTED = "commands: { only: [ls]";
const RULE = "rules: [{ id: r0, allow: 'make **', because: Why. }]";
const SEALED = ["autonomy: full", WRITABLE, "sandbox: { workspace: transactional }"];
const UNSEALED = ["autonomy: full", WRITABLE, "sandbox: { workspace: transactional, env: [TZ] }"];
const NO_RM = "rules: [{ id: r0, deny: 'rm **', because: Why. }, { id: r1, deny: 'rmdir **', because: Why. }]";
const SERVER = "tools: { mcp: { files__run: { commands: [line] } } }";

function compare(before: readonly string[], after: readonly string[]): readonly Difference[] {
  return diffPolicies(policyOf(policyText(...before)), policyOf(policyText(...after)), CONTEXT, NOW_MS);
}

/** The parts that are told in a direction, each with what its witness asks for. */
function told(differences: readonly Difference[], direction: Difference["direction"]): readonly string[] {
  return differences
    .filter((one) => one.direction === direction)
    .map(({ part, witness }) => [part.what, ...(witness === undefined ? [] : [witnessText(witness)])].join(": "));
}

function witnessText({ wanted }: NonNullable<Difference["witness"]>): string {
  return wanted.kind === "command" ? wanted.text : JSON.stringify(wanted).replaceAll(`${CONTEXT.workspace}/`, "");
}

const rules = (...lines: readonly string[]): string =>
  `commands: { rules: [${lines.map((line, index) => `{ id: r${String(index)}, ${line}, because: Why. }`).join(", ")}] }`;

describe("what widens is told with a call that shows it", () => {
  test.each<readonly [string, readonly string[], readonly string[], string]>([
    ["an allow rule", ["autonomy: supervised"], ["autonomy: supervised", rules("allow: npm test")], "rule r0: npm test"],
    [
      "an allow rule whose pattern is wider",
      ["autonomy: supervised", rules("allow: 'deploy [ab]'")],
      ["autonomy: supervised", rules("allow: 'deploy [a-c]'")],
      "rule r0: deploy c",
    ],
    ["a deny rule that is gone", ["autonomy: full", rules("deny: 'x --force **'")], ["autonomy: full"], "rule r0: x --force"],
    ["an ask rule that is gone", ["autonomy: full", rules("ask: 'git log **'")], ["autonomy: full"], "rule r0: git log"],
    [
      "an effect",
      ["autonomy: supervised", WRITABLE],
      ["autonomy: supervised", WRITABLE, "commands: { effects: { history: allow } }"],
      "effects.history: git commit -m a",
    ],
    ["autonomy", ["autonomy: supervised", WRITABLE], ["autonomy: full", WRITABLE], 'autonomy: cat "$x"'],
    ["a forbidden path", ["workspace: { forbidden: ['**/.env'] }"], ["workspace: { forbidden: [] }"], 'forbidden /**/.env: {"kind":"read","path":".env"}'],
    ["a root", ["autonomy: full"], ["autonomy: full", WRITABLE], `root ${CONTEXT.workspace}: {"kind":"write","path":"a"}`],
    [
      "a host",
      ["autonomy: full"],
      ["autonomy: full", "sandbox: { network: { allow: [a.example.org] } }"],
      'host a.example.org: {"kind":"connect","host":"a.example.org","port":443}',
    ],
    ["a tool", ["tools: { deny: [shell] }"], ["tools: { deny: [] }"], 'tool shell: {"kind":"tool","tool":"shell"}'],
    ["a program", ["autonomy: full", "commands: { only: [ls] }"], ["autonomy: full", "commands: { only: [ls, wc] }"], "program wc: wc"],
    [
      "a verdict for what was seen",
      ["autonomy: full", WRITABLE, "commands: { effects: { writes: [{ verdict: ask, when: tainted }] } }"],
      ["autonomy: full", WRITABLE],
      "effects.writes: touch a",
    ],
    [
      "a day",
      ["autonomy: supervised", rules("allow: npm test, expires: 2027-01-31")],
      ["autonomy: supervised", rules("allow: npm test, expires: 2027-03-31")],
      "rule r0: npm test",
    ],
    ["an exception", ["autonomy: full", rules("deny: 'ls **'")], ["autonomy: full", rules("deny: 'ls **', except: ['ls -l *']")], "rule r0: ls -l a"],
    [
      "a rule that was about what hides its exception",
      ["autonomy: full", rules("deny: './x **', except: ['./x **']")],
      ["autonomy: full"],
      "rule r0: ./x < /dev/null",
    ],
    [
      "hours that are longer",
      ["autonomy: supervised", rules("allow: npm test, between: '22:00-06:00 Europe/Berlin'")],
      ["autonomy: supervised", rules("allow: npm test, between: '22:00-07:00 Europe/Berlin'")],
      "rule r0: npm test",
    ],
    [
      "a limit that is raised",
      ["autonomy: supervised", WRITABLE, rules("allow: 'git tag *', max: 3 per run")],
      ["autonomy: supervised", WRITABLE, rules("allow: 'git tag *', max: 5 per run")],
      "rule r0: git tag a",
    ],
    [
      "a limit that is gone",
      ["autonomy: full", WRITABLE, rules("ask: 'git tag *', max: 3 per 1h")],
      ["autonomy: full", WRITABLE, rules("ask: 'git tag *'")],
      "rule r0: git tag a",
    ],
    [
      "a rule with a limit",
      ["autonomy: supervised", WRITABLE],
      ["autonomy: supervised", WRITABLE, rules("allow: 'git tag *', max: 3 per run")],
      "rule r0: git tag a",
    ],
    [
      "a deny that ceases to speak by day",
      ["autonomy: full", rules("deny: ls")],
      ["autonomy: full", rules("deny: ls, between: '22:00-06:00 Europe/Berlin'")],
      "rule r0: ls",
    ],
    [
      "an ask where everything of the kind was refused",
      ["autonomy: full", "commands: { block-high-risk: true }"],
      ["autonomy: full", "commands: { block-high-risk: true, rules: [{ id: r0, ask: 'x', because: Why. }] }"],
      "rule r0: x",
    ],
    [
      "docker, where a path outside the roots is the image's",
      ["sandbox: { runtime: bubblewrap }"],
      ["sandbox: { runtime: docker }"],
      'sandbox.runtime: {"kind":"read","path":"/opt/a"}',
    ],
    [
      "docker, where code outside the roots is the image's",
      ["autonomy: full", "sandbox: { runtime: bubblewrap }", "commands: { only: [node] }", "tools: { deny: [read_file] }"],
      ["autonomy: full", "sandbox: { runtime: docker }", "commands: { only: [node] }", "tools: { deny: [read_file] }"],
      "sandbox.runtime: node /opt/a",
    ],
  ])("%s", (_what, before, after, expected) => {
    const differences = compare(before, after);
    expect(told(differences, "widens")).toContain(expected);
    expect(outcomeOf(differences)).toBe("widens");
    // The other way round it tightens, by the same call.
    expect(told(compare(after, before), "tightens")).toContain(expected);
  });
});

describe("what cannot widen is not told to", () => {
  test.each<readonly [string, readonly string[], readonly string[], string]>([
    ["a rule that a wider one covers", ["autonomy: full", rules("deny: 'git **'", "deny: 'git push **'")], ["autonomy: full", rules("deny: 'git **'")], "same"],
    ["an allow rule that is denied anyway", ["autonomy: full", rules("deny: 'x **'")], ["autonomy: full", rules("deny: 'x **'", "allow: 'x a'")], "same"],
    ["a deny rule more", ["autonomy: full"], ["autonomy: full", rules("deny: 'git push **'")], "only-tightens"],
    ["an ask about hosts where none is open", [], ["commands: { effects: { connects: ask, sends: ask } }"], "only-tightens"],
    ["another order", ["autonomy: full", rules("deny: a", "ask: b")], ["autonomy: full", rules("ask: b", "deny: a")], "same"],
    ["another reason", ["autonomy: full", rules("deny: a")], ["autonomy: full", rules("deny: a").replace("Why.", "Because.")], "same"],
    [
      "a limit of a rule that a wider one allows without",
      ["autonomy: supervised", rules("allow: 'x *', max: 3 per run", "allow: 'x **'")],
      ["autonomy: supervised", rules("allow: 'x *', max: 5 per run", "allow: 'x **'")],
      "same",
    ],
    [
      "a limit of an ask that is denied",
      ["autonomy: full", rules("ask: x, max: 2 per run")],
      ["autonomy: full", rules("ask: x, max: 1 per run")],
      "only-tightens",
    ],
    ["a smaller limit", ["limits: { run: { turns: 50 } }"], ["limits: { run: { turns: 20 } }"], "only-tightens"],
    ["an allow rule of a command that a read-only policy refuses before", ["autonomy: read-only"], ["autonomy: read-only", rules("allow: npm test")], "same"],
    ["an allow rule of a command of which nobody knows what it does", ["autonomy: read-only"], ["autonomy: read-only", rules("allow: frob it")], "widens"],
    ["an allow rule that more commands may meet", ["autonomy: read-only"], ["autonomy: read-only", rules("allow: 'npm test **'")], "may-widen"],
    ["an allow rule of a program that is not listed", ["autonomy: full", `${LISTED} }`], ["autonomy: full", `${LISTED}, ${RULE} }`], "same"],
    [
      "an allow rule of a program that is listed",
      ["autonomy: supervised", `${LISTED.replace("ls", "make")} }`],
      ["autonomy: supervised", `${LISTED.replace("ls", "make")}, ${RULE} }`],
      "widens",
    ],
    ["deletes that a seal contains", SEALED, [...SEALED, "commands: { effects: { deletes: allow } }"], "same"],
    ["deletes that a variable takes the seal of", UNSEALED, [...UNSEALED, "commands: { effects: { deletes: allow } }"], "widens"],
    [
      "deletes without a seal, where every example of one is denied",
      [...UNSEALED, `commands: { ${NO_RM} }`],
      [...UNSEALED, `commands: { ${NO_RM}, effects: { deletes: allow } }`],
      "may-widen",
    ],
    ["deletes of a server", [...SEALED, SERVER], [...SEALED, SERVER, "commands: { effects: { deletes: allow } }"], "may-widen"],
  ])("%s", (_what, before, after, outcome) => {
    expect(outcomeOf(compare(before, after))).toBe(outcome);
  });
});

// What the budget does not reach is told by what each part may loosen, and by nothing else.
describe("what no call was tried on may widen", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      "an ask for writes, of which some were refused because their path was not measured",
      [...SEALED, "commands: { block-high-risk: true }"],
      [...SEALED, "commands: { block-high-risk: true, effects: { writes: ask } }"],
    ],
    [
      "less autonomy, under which code is of medium risk and no longer blocked",
      ["autonomy: full", BOUND, "commands: { block-high-risk: true }"],
      ["autonomy: supervised", BOUND, "commands: { block-high-risk: true }"],
    ],
  ])("%s", (_what, before, after) => {
    const [one, other] = [policyOf(policyText(...before)), policyOf(policyText(...after))];
    expect(outcomeOf(diffPolicies(one, other, { ...CONTEXT, steps: { ...STEPS, calls: 0 } }, NOW_MS))).toBe("may-widen");
    expect(outcomeOf(diffPolicies(one, other, CONTEXT, NOW_MS))).toBe("widens");
  });

  test("whatever brute force finds lies in a region that is told", () => {
    const [calls, tally] = [drawCalls(7, 100), newTally()];
    for (let seed = 0; seed < 24; seed += 1) holdPair(seed, calls, tally, { mostRules: 8, steps: { ...STEPS, calls: 0 } });
    expect(tally.failures).toEqual([]);
    expect(tally.widenings).toBeGreaterThan(20);
  });
});

describe("settings that no call shows", () => {
  test.each<readonly [string, string, string, string, Difference["direction"]]>([
    ["a limit of a run", "limits: { run: { turns: 20 } }", "limits: { run: { turns: 30 } }", "limits.run.turns", "widens"],
    ["a window that is gone", "limits: { actions: { max: 5, per: 1h } }", "limits: {}", "limits.actions", "widens"],
    ["memory", "sandbox: { memory: 1g }", "sandbox: { memory: 512m }", "sandbox.memory", "tightens"],
    ["a variable", "sandbox: { env: [] }", "sandbox: { env: [TZ] }", "variable TZ", "widens"],
    ["approvers", "approvals: { approvers: { publishes: 2 } }", "approvals: { approvers: { publishes: 3 } }", "approvals.approvers.publishes", "tightens"],
    [
      "a sensitive path that is gone",
      "workspace: { sensitive: ['a/**'] }\ncommands: { effects: { sends: [{ verdict: deny, when: sensitive }] } }",
      "commands: { effects: { sends: [{ verdict: deny, when: sensitive }] } }",
      `sensitive ${CONTEXT.workspace}/a/**`,
      "may-widen",
    ],
    ["an image", "sandbox: { image: one }", "sandbox: { image: two }", "sandbox.image", "may-widen"],
    ["a hook that is gone", "hooks: [{ id: h, on: [stop], script: 'exit 0', because: Why. }]", "hooks: []", "hook h", "may-widen"],
  ])("%s", (_what, ...[before, after, part, direction]) => {
    expect(compare([before], [after]).map((one) => [one.part.what, one.direction])).toContainEqual([part, direction]);
  });
});

test("what counts over another time may widen, and is not said to tighten alone", () => {
  const limit = (max: string): readonly string[] => ["autonomy: supervised", WRITABLE, rules(`allow: 'git tag *', max: ${max}`)];
  expect(outcomeOf(compare(limit("10 per run"), limit("3 per 1h")))).toBe("may-widen");
  expect(outcomeOf(compare(limit("3 per 1h"), limit("10 per run")))).toBe("widens");
});

test("what brute force finds to widen is never said only to tighten, and lies in a region that is told", () => {
  const [calls, tally] = [drawCalls(5, 100), newTally()];
  for (let seed = 0; seed < 16; seed += 1) holdPair(seed, calls, tally, { mostRules: 8 });
  expect(tally.failures).toEqual([]);
  expect(tally.widenings).toBeGreaterThan(10);
});

test.each(["node /opt/a", "sh /opt/a", "crontab /opt/a", "cat /opt/a", ". /opt/a"])("what %s reads lies in the region of another runtime", (text) => {
  const [before, after] = ["bubblewrap", "docker"].map((runtime) => policyOf(policyText("autonomy: full", `sandbox: { runtime: ${runtime} }`))) as [
    Policy,
    Policy,
  ];
  const wanted = { kind: "command", text } as const;
  const [one, other] = new Deciders(before, after, CONTEXT).decide(wanted, { containment: "profile", seen: [], nowMs: NOW_MS });
  const pairs = one.units.flatMap((unit, index) => {
    const next = other.units[index];
    return next === undefined || strictness(next.verdict) >= strictness(unit.verdict) ? [] : [[unit, next] as const];
  });
  expect(pairs.map(([unit]) => unit.rule.id)).toContain("outside-roots");
  const regions = diffPolicies(before, after, CONTEXT, NOW_MS).flatMap(({ part, explains }) => (part.what === "sandbox.runtime" && explains ? [explains] : []));
  for (const [unit, next] of pairs) expect(regions.some((explains) => explains(unit, next))).toBe(true);
});

test.each<readonly [string, string, string, string]>([
  [
    "rule r1",
    "rules: [{ id: r0, ask: 'x', when: tainted, because: Why. }]",
    "rules: [{ id: r0, ask: 'x', when: tainted, because: Why. }, { id: r1, ask: 'x', because: Why. }]",
    "x",
  ],
  ["effects.processes", "effects: { processes: { verdict: ask, when: tainted } }", "effects: { processes: [ask, { verdict: ask, when: tainted }] }", "kill 1"],
])("what a label's question hides lies in the region of what asks beneath it: %s", (part, before, after, text) => {
  const blocked = (more: string): Policy => policyOf(policyText("autonomy: full", `commands: { block-high-risk: true, ${more} }`));
  const [one, other] = new Deciders(blocked(before), blocked(after), CONTEXT).decide(
    { kind: "command", text },
    { containment: "profile", seen: ["tainted"], nowMs: NOW_MS },
  );
  expect([one.verdict, other.verdict]).toEqual(["deny", "ask"]);
  const regions = diffPolicies(blocked(before), blocked(after), CONTEXT, NOW_MS).filter(({ part: { what } }) => what === part);
  const widened = one.units.flatMap((unit, index) => {
    const next = other.units[index];
    return next === undefined || strictness(next.verdict) >= strictness(unit.verdict) ? [] : [[unit, next] as const];
  });
  expect(widened).not.toEqual([]);
  for (const [unit, next] of widened) expect(regions.some(({ explains }) => explains?.(unit, next))).toBe(true);
});

test("a window that tightens one of the parent's is told with what held before", () => {
  const parent = policyText("limits: { actions: { max: 200, per: 1h } }");
  const child = (max: number): string => policyText(`limits: { actions: { max: ${max}, per: 1h } }`);
  const parts = (before: number, after: number): unknown =>
    diffPolicies(policyOf(child(before), parent), policyOf(child(after), parent), CONTEXT, NOW_MS).map(({ direction, part }) => [direction, part.was, part.is]);
  expect(parts(100, 60)).toEqual([["tightens", "100 per 1h", "60 per 1h"]]);
  expect(parts(60, 100)).toEqual([["widens", "60 per 1h", "100 per 1h"]]);
  expect(parts(300, 60)).toEqual([["tightens", "200 per 1h", "60 per 1h"]]);
});
