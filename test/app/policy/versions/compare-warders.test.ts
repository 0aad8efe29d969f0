import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { compareWarders, type WarderComparison } from "../../../../src/app/policy/versions/compare-warders.ts";
import { FAMILIES } from "../../../../src/programs/programs.ts";
import { otherWarder, program } from "../../../support/programs/other-warder.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

/** However busy the machine is. */
const LONG_MS = 900_000;

let directory = "";
let policy = "";

beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, "state"), { mode: 0o700 });
  vi.stubEnv("WARDER_HOME", join(directory, "state"));
  policy = join(directory, "own.yaml");
  writeFileSync(
    policy,
    "version: 1\nname: own\nautonomy: full\ncommands: { effects: { unknown: deny, connects: allow } }\nsandbox: { network: { allow: [a.example] } }\n",
  );
});

/** One line for each difference: direction, part, command. */
function told({ differences }: WarderComparison): readonly string[] {
  return differences.map(({ direction, part, witness }) => `${direction} ${part.what}: ${witness?.wanted.kind === "command" ? witness.wanted.text : "-"}`);
}

const CODE = "may-widen what is read by code and not by tables: -";

test("another Warder's tables widen and tighten, each with the shortest command that both decided, and never only tighten", async () => {
  const other = otherWarder(directory, {
    // What this one knows, and that one does not.
    "tac : read* gnu inert | -b,--before -r,--regex": "tac : read* gnu inert | -b,--before",
    // What that one knows, and this one does not.
    "head : read* gnu inert | -[qvz]": "head : read* gnu inert | -[qvzZ]",
    // Its server decides by the verb, so this one lets an option pass that it does not name.
    "tail : value tolerant !connects at:configured | --since=text": "tail : value tolerant !connects at:configured | --zap!unknown --since=text",
  });
  const comparison = await compareWarders(other, policy, { version: "0.0.0", silenceMs: LONG_MS });
  expect(comparison.outcome).toBe("widens");
  expect(told(comparison)).toEqual(["widens program aws: aws logs tail --zap", "widens program tac: tac -r", CODE, "tightens program head: head -Z"]);
});

test.each([
  ["is too old to print its tables", "exit 2"],
  ["has tables in a notation that this one cannot read", 'exec cat "${0%/*}/tables.json"'],
])("of one that %s, what only they name was not looked at: it may widen", async (why, answer) => {
  writeTables("more-of-it : new-role");
  const other = otherWarder(directory, {}, `[ "$1" = policy ] && ${answer}`);
  const comparison = await compareWarders(other, policy, { version: "0.0.0", mostCalls: 50, silenceMs: LONG_MS });
  expect(comparison.outcome).toBe("may-widen");
  expect(told(comparison)).toEqual([
    "may-widen words that only the other Warder's tables name: -",
    expect.stringMatching(/^may-widen further calls of \S+, .* and \d+ more programs: -$/u),
    CODE,
  ]);
  expect(comparison.differences[0]?.why).toContain(why);
});

/** Tables that have one line more than this Warder's. */
function writeTables(line = "more-of-it : read*"): void {
  const families = [...FAMILIES, { file: "more.ts", text: `\n${line}` }];
  writeFileSync(join(directory, "tables.json"), JSON.stringify({ warder: "9.9.9", checkout: null, families }));
}

describe("nothing is said by halves of a program that", () => {
  const TABLES = '[ "$1" = policy ] && exec cat "${0%/*}/tables.json"\n';
  const ANSWER = `{"id":0,"decision":"allow","rules":[{"id":"a"}]}`;

  test.each<readonly [string, string, RegExp]>([
    ["is no Warder", "exit 0", /does not answer as a Warder does/u],
    ["is one, and prints another thing for its tables", "echo '{}'", /does not answer as a Warder does/u],
    ["prints tables that are not whole", `echo '{"warder":"9.9.9","checkout":null,"families":[{"file":"a.ts"}]}'`, /does not answer as a Warder does/u],
    ["is another program that knows no such command", '[ "$1" = policy ] && exit 2; echo ls 9.1', /does not answer as a Warder does/u],
    ["crashes", `${TABLES}echo Aborted >&2; kill -ABRT $$`, /ended with SIGABRT instead of answering \(Aborted\)/u],
    ["ends with a code", `${TABLES}cat >/dev/null; echo '${ANSWER}'; exit 1`, /ended with 1 instead of answering/u],
    ["answers fewer lines", `${TABLES}cat >/dev/null; echo '${ANSWER}'`, /gave 1 answers to \d+ questions/u],
    ["answers rubbish", `${TABLES}sed 's/.*/rubbish/'`, /gave an answer that is none \(rubbish\)/u],
    ["answers another question", `${TABLES}sed 's/.*/${ANSWER}/'`, /gave an answer that is none/u],
    ["gives a verdict that is none", `${TABLES}sed 's/"command".*/"decision":"maybe","rules":[{"id":"a"}]}/'`, /gave an answer that is none/u],
    ["was asked no question", `${TABLES}sed 's/"command".*/"error":"no","decision":"deny","rules":[{"id":"a"}]}/'`, /gave an answer that is none/u],
    ["hangs", "exec sleep 20", /said nothing for 0\.5 seconds/u],
  ])("%s", async (name, text, problem) => {
    writeTables();
    const other = program(directory, "other", text);
    const silenceMs = name === "hangs" ? 500 : LONG_MS;
    await expect(compareWarders(other, policy, { version: "0.0.0", mostCalls: 50, silenceMs })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(problem),
    });
  });

  test("cannot load the policy", async () => {
    writeTables();
    const other = program(directory, "other", `${TABLES}echo 'own.yaml:2: no key' >&2; exit 78`);
    await expect(compareWarders(other, policy, { version: "0.0.0", mostCalls: 50, silenceMs: LONG_MS })).rejects.toMatchObject({
      code: "bad-policy",
      message: expect.stringContaining("own.yaml:2: no key"),
    });
  });
});

describe("is not started:", () => {
  test.each<readonly [string, string, string]>([
    ["a name that is looked up nowhere", "warder", 'no path of a program: it has no "/"'],
    ["what is not there", "/nowhere/warder", "no program /nowhere/warder that you may start"],
    ["a directory", "/", "is no program"],
  ])("%s", async (_what, named, problem) => {
    await expect(compareWarders(named, policy, { version: "0.0.0" })).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(problem) });
  });

  test("what an agent could have written", async () => {
    const workspace = join(directory, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(directory, "state", "workspaces.json"), JSON.stringify({ version: 1, places: [workspace] }), { mode: 0o600 });
    const other = program(workspace, "warder", "exit 0");
    await expect(compareWarders(other, policy, { version: "0.0.0" })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("where runs of agents write"),
    });
  });
});
