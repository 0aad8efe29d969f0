import { describe, expect, test } from "vitest";
import { readPolicyDocument } from "../../../src/policy/language/document.ts";
import { readYaml } from "../../../src/policy/text/yaml.ts";
import { sliceOf } from "../../support/extent.ts";
import { compileTexts, decideCommand, policyOf, policyText } from "../bench.ts";

const MIB = 1024 * 1024;
/** Nobody waits longer for a file. What needs more processor time than this is not bounded; a busy machine counts no time that others took. */
const MAX_CPU_MS = 15_000;

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const repeated = (part: string, head = ""): string => head + part.repeat(Math.floor((8 * MIB - head.length) / part.length));
const numbered = (count: number, line: (index: number) => string): string[] => Array.from({ length: count }, (_, index) => line(index));

describe("a policy of 10,000 rules", () => {
  const rules = numbered(10_000, (index) =>
    [
      `    - id: task-${index}`,
      `      ${index % 2 === 0 ? "allow" : "deny"}: npm run task-${index} *`,
      `      because: Somebody reviewed task ${index} together with all that it starts, and wrote down what came of it.`,
      `      match: ["npm run task-${index} now"]`,
      `      not-match: ["npm run task-${index}", "npm publish"]`,
    ].join("\n"),
  );
  const text = policyText("autonomy: supervised", "commands:", "  rules:", ...rules);

  test("loads, and decides by each of them", () => {
    expect(text.length).toBeGreaterThan(2 * MIB);
    const policy = policyOf(text);
    expect(policy.commands.rules).toHaveLength(10_000);
    const denied = decideCommand(policy, "npm run task-9999 now");
    expect(denied).toMatchObject({ verdict: "deny", rules: [{ id: "task-9999", at: { line: 6 + 9_999 * 5 } }] });
    const allowed = decideCommand(policy, "npm run task-9998 now");
    expect(allowed.units.find(({ unit }) => unit.kind === "runs-code")?.rule.id).toBe("task-9998");
    expect(decideCommand(policy, "npm run task-10000 now").rules.map(({ id }) => id)).not.toContainEqual(expect.stringMatching(/^task-/u));
  });
});

describe("the bound of a file", () => {
  const saidOf = (source: string): readonly string[] => {
    const reading = readPolicyDocument("policy.yaml", source);
    return "diagnostics" in reading ? reading.diagnostics.map(({ message }) => message) : [];
  };

  test("is 8 MiB for a policy: that much is read, one more is not", () => {
    const head = policyText("# ");
    const padded = (length: number): string => `${head.trimEnd()}${"a".repeat(length - head.trimEnd().length)}`;
    expect(saidOf(padded(8 * MIB))).toEqual([]);
    expect(saidOf(padded(8 * MIB + 1))).toEqual(["The file is longer than 8 MiB."]);
  });

  test("is 1,000,000 words, marks and ends of lines, however short the file is", () => {
    expect(saidOf(`a:\n${"- a\n".repeat(260_000)}`)).toEqual([expect.stringMatching(/more than 1,000,000 words/u)]);
  });

  test("is 256 KiB for every other file", () => {
    const reading = readYaml("settings.yaml", `#${"a".repeat(256 * 1024)}`);
    expect(reading).toMatchObject({ diagnostics: [{ message: "The file is longer than 256 KiB." }] });
  });

  const costly: readonly (readonly [name: string, source: string, message: RegExp])[] = [
    ["lists within lists on one line", repeated("- "), /nested too deep/],
    ["open lists", repeated("["), /nested too deep/],
    ["open maps", repeated("{a: "), /nested too deep/],
    ["keys within keys", repeated("? "), /nested too deep/],
    ["empty lists", repeated("[],", "a: ["), /more than 1,000,000 words/],
    ["short entries", repeated("- a\n", "a:\n"), /more than 1,000,000 words/],
    ["the same key", repeated("a: 1\n"), /more than 1,000,000 words/],
    ["directives", repeated("%A\n"), /more than 10 directives/],
    ["documents", repeated("---\n"), /multiple documents/],
    ["hidden characters", repeated("\u200b"), /invisible or control/],
    ["one hidden character at the end", `${repeated("a").slice(1)}\u200b`, /invisible or control/],
    ["one word", repeated("x"), /must be a map/],
    ["one quoted text", `"${repeated("a\n ").slice(2)}"`, /must be a map/],
  ];
  test.each(sliceOf(costly, 3))("holds for 8 MiB of %s", (_name, source, message) => {
    let said: readonly string[] = [];
    const took = cpuMs(() => {
      said = saidOf(source);
    });
    expect(said).toEqual([expect.stringMatching(message)]);
    expect(took).toBeLessThan(MAX_CPU_MS);
  });
});

describe("what a child and its parent hold against each other is bounded:", () => {
  test.each<readonly [name: string, lines: (letter: string, count: number) => readonly string[], message: string]>([
    ["roots", (letter, count) => ["workspace:", "  roots:", ...numbered(count, (index) => `    - { path: /srv/${letter}${index}, access: read }`)], "entries"],
    ["hosts", (letter, count) => ["sandbox:", "  network:", "    allow:", ...numbered(count, (index) => `      - ${letter}${index}.example.com`)], "entries"],
    ["tools", (letter, count) => ["tools:", "  allow:", ...numbered(count, (index) => `    - ${letter}${index}*`)], "entries"],
    [
      "paths of requests",
      (letter, count) => [
        "sandbox:",
        "  network:",
        "    allow:",
        "      - host: example.com",
        "        paths:",
        ...numbered(count, (index) => `          - /${letter}/${index}`),
      ],
      "paths",
    ],
  ])("%s", (_name, lines, message) => {
    const merged = cpuMs(() =>
      expect(compileTexts([policyText("extends: other", ...lines("a", 1_000)), policyText(...lines("b", 1_000))]).kind).toBe("compiled"),
    );
    expect(merged).toBeLessThan(MAX_CPU_MS);
    const result = compileTexts([policyText(...lines("a", 1_001))]);
    if (result.kind === "compiled") throw new Error("The policy was loaded.");
    expect(result.diagnostics.map((diagnostic) => diagnostic.message)).toEqual([expect.stringMatching(new RegExp(`more than 1000 ${message}`, "u"))]);
  });
});
