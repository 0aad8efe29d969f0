import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Parser } from "yaml";
import { firstPolicyText } from "../../src/app/begin/first-policy.ts";
import { planFixes } from "../../src/app/policy/fix.ts";
import { rulesPatch, type WrittenRule } from "../../src/app/policy/suggest/patch.ts";
import { readPolicyDocument } from "../../src/policy/language/document.ts";
import { withoutItem } from "../../src/policy/text/yaml-list.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

/** A policy with comments wherever one can stand. */
type Commented = {
  readonly text: string;
  /** Of each rule, the number of its lines' first and last (0-based). */ readonly rules: readonly (readonly [number, number])[];
};

const TAILS = ["", ": - x", " 'open", " # more", " { [", "\tand a tab", " - id: no-rule", " é", " |"];
/** Some say nothing beside others, so that something is mended. */
const SAID = ['deny: "git tag **"', 'allow: "git tag v1"', "ask: npm run a", "allow: 'npm run a'", 'allow: "ls"', 'deny: "npm ci"'];
const BECAUSE = [["because: A test."], ['because: "A # test."'], ["because: >-", "  A # test", "  of lines."], ["because: |", "  A", "", "  # test."]];

type Drawn = {
  readonly slots: readonly number[];
  readonly rules: readonly { readonly said: string; readonly because: readonly string[]; readonly isFlow: boolean; readonly isExpired: boolean }[];
  readonly margin: string;
  readonly isLast: boolean;
  readonly tails: readonly string[];
};

const rule = fc.record({ said: fc.constantFrom(...SAID), because: fc.constantFrom(...BECAUSE), isFlow: fc.boolean(), isExpired: fc.boolean() });
const drawn: fc.Arbitrary<Drawn> = fc.record({
  // What stands in each place: nothing, a comment as the line is, at the margin of the page, further in, behind an empty line.
  slots: fc.array(fc.nat(4), { minLength: 40, maxLength: 40 }),
  rules: fc.array(rule, { minLength: 1, maxLength: 5 }),
  margin: fc.constantFrom("  ", "    "),
  isLast: fc.boolean(),
  tails: fc.array(fc.constantFrom(...TAILS), { minLength: 7, maxLength: 7 }),
});

const commented: fc.Arbitrary<Commented> = drawn.map((one) => {
  const lines: string[] = [];
  let [place, number] = [0, 0];
  const slot = (): number => one.slots[place++ % one.slots.length] ?? 0;
  const comment = (): string => `# c${number++}${one.tails[number % one.tails.length] ?? ""}`;
  const above = (margin: string): void => {
    for (let more = slot(); more > 0; more = lines.length % 2 === 0 ? slot() : 0) {
      if (more === 4) lines.push("");
      lines.push(`${more === 2 ? "" : margin}${more === 3 ? "   " : ""}${comment()}`);
    }
  };
  const line = (text: string): void => {
    above(/^ */u.exec(text)?.[0] ?? "");
    lines.push(slot() > 2 ? `${text} ${comment()}` : text);
  };
  const ruleLines = ({ said, because, isFlow, isExpired }: Drawn["rules"][number], index: number): void => {
    const expires = isExpired && said.startsWith("allow") ? ["expires: 2020-01-01"] : [];
    if (isFlow) return line(`${one.margin}- { id: r${index}, ${[said, "because: Why", ...expires].join(", ")} }`);
    line(`${one.margin}- id: r${index}`);
    for (const key of [said, ...expires]) line(`${one.margin}  ${key}`);
    const [first = "", ...rest] = because;
    line(`${one.margin}  ${first}`);
    for (const more of rest) lines.push(more === "" ? "" : `${one.margin}  ${more}`);
  };
  const rules: (readonly [number, number])[] = [];
  const commands = (): void => {
    line("commands:");
    line("  effects: { sends: ask }");
    line("  rules:");
    for (const [index, each] of one.rules.entries()) {
      ruleLines(each, index);
      const end = lines.length - 1;
      rules.push([lines.findIndex((text) => new RegExp(`^ *- .*id: r${index}\\b`, "u").test(text)), end]);
    }
  };
  for (const text of ["version: 1", "name: mine", "extends: supervised"]) line(text);
  if (!one.isLast) commands();
  line("limits:");
  line("  actions: { max: 3, per: 1h }");
  if (one.isLast) commands();
  above("");
  above(one.margin);
  return { text: `${lines.join("\n")}\n`, rules };
});

/** The comments of a text, in order, as a parser of YAML sees them. */
function commentsOf(text: string): readonly string[] {
  const found: { readonly offset: number; readonly source: string }[] = [];
  const look = (token: unknown): void => {
    if (Array.isArray(token)) return token.forEach(look);
    if (typeof token !== "object" || token === null) return;
    const { type, offset, source } = token as { readonly type?: string; readonly offset: number; readonly source: string };
    if (type === "comment") found.push({ offset, source });
    else Object.values(token).forEach(look);
  };
  for (const token of new Parser().parse(text)) look(token);
  return found.toSorted((one, other) => one.offset - other.offset).map(({ source }) => source);
}

type Stated = { readonly commands: { readonly rules?: readonly { readonly id: string; readonly allow?: string }[] } };

function stated(text: string): Stated {
  const read = readPolicyDocument("mine.yaml", text);
  if ("diagnostics" in read) throw new Error(`${JSON.stringify(read.diagnostics)}\n${text}`);
  return read.document as unknown as Stated;
}

const idsOf = (text: string): readonly string[] => (stated(text).commands.rules ?? []).map(({ id }) => id);

/** Demands of a text that it is the other without some rules: their lines are gone, and at most the comments right above them; nothing else is. */
function expectWithout({ text, rules }: Commented, after: string, gone: readonly string[]): void {
  const lines = text.split("\n");
  const ofGone = new Set<number>();
  const aboveGone = new Set<string>();
  for (const [index, [first, last]] of rules.entries()) {
    if (!gone.includes(`r${index}`)) continue;
    for (let row = first; row <= last; row += 1) ofGone.add(row);
    const margin = /^ */u.exec(lines[first] ?? "")?.[0] ?? "";
    const isAbove = (row: number): boolean => index > 0 && lines[row]?.startsWith(`${margin}#`) === true;
    for (let row = first - 1; isAbove(row); row -= 1) aboveGone.add(lines[row] ?? "");
  }
  const aboveComments = new Set([...aboveGone].map((line) => line.trim()));
  const kept = lines.filter((line, row) => !ofGone.has(row) && !aboveGone.has(line));
  expect(after.split("\n").filter((line) => !aboveGone.has(line))).toEqual(kept);
  expect(commentsOf(after).filter((comment) => !aboveComments.has(comment))).toEqual(commentsOf(kept.join("\n")));
  const { commands, ...rest } = stated(text);
  expect(stated(after)).toEqual({ ...rest, commands: { ...commands, rules: commands.rules?.filter(({ id }) => !gone.includes(id)) } });
}

/** The text that a unified diff of one hunk makes of another, whose lines it must name as they are. */
function patched(text: string, patch: string): string {
  const [, , head = "", ...hunk] = patch.trimEnd().split("\n");
  const from = Number(/^@@ -(?<from>\d+),/u.exec(head)?.groups?.["from"]) - 1;
  const lines = text.split("\n");
  const old = hunk.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  expect(lines.slice(from, from + old.length)).toEqual(old);
  return lines.toSpliced(from, old.length, ...hunk.filter((line) => !line.startsWith("-")).map((line) => line.slice(1))).join("\n");
}

describe("an edit of a policy's text keeps every comment at its line", () => {
  test("where a rule is taken out", () => {
    let taken = 0;
    fc.assert(
      fc.property(commented, (policy) => {
        for (const [index, [row]] of policy.rules.entries()) {
          const column = (policy.text.split("\n")[row] ?? "").indexOf("- ") + 3;
          const after = withoutItem(policy.text, { line: row + 1, column });
          expect(after === null).toBe(policy.rules.length === 1);
          expectWithout(policy, after ?? policy.text, after === null ? [] : [`r${index}`]);
          if (after !== null) taken += 1;
        }
      }),
      { numRuns: 60 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  test("where what decides nothing is mended, and the text stays where nothing is", async () => {
    const mended: number[] = [];
    const directory = temporaryDirectory();
    const file = join(directory, "mine.yaml");
    await fc.assert(
      fc.asyncProperty(commented, async (policy) => {
        writeFileSync(file, policy.text);
        const plan = await planFixes(file, directory);
        mended.push(plan.mended.length);
        const left = idsOf(plan.after);
        expectWithout(
          policy,
          plan.after,
          idsOf(policy.text).filter((id) => !left.includes(id)),
        );
        expect(plan.after === policy.text).toBe(plan.mended.length === 0);
      }),
      { numRuns: 15 },
    );
    expect(mended.filter((count) => count > 0).length).toBeGreaterThan(2);
    expect(mended).toContain(0);
  });

  test("where a suggested rule is added", () => {
    const added: readonly WrittenRule[] = ["a: # 'x'", "git tag *"].map((allow, index) => ({
      id: `new-${index}`,
      allow,
      because: "Asked # often: yes.",
      expires: "2030-01-01",
    }));
    fc.assert(
      fc.property(commented, fc.subarray([...added], { minLength: 1 }), ({ text }, rules) => {
        const patch = rulesPatch({ file: "mine.yaml", path: "/w/mine.yaml", text, identity: "", owner: 0 }, rules) ?? "";
        expect(patch.split("\n").filter((line) => line.startsWith("-"))).toEqual(["--- a/w/mine.yaml"]);
        const after = patched(text, patch);
        expect(commentsOf(after)).toEqual(commentsOf(text));
        const { commands, ...rest } = stated(text);
        expect(stated(after)).toEqual({ ...rest, commands: { ...commands, rules: [...(commands.rules ?? []), ...rules] } });
      }),
      { numRuns: 40 },
    );
  });

  test("and a first policy has one on each line, whatever the project's tests are", () => {
    const command = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."ab #:'\"\\{}[],-&*!|>%@`\té") });
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 3 }), fc.boolean(), (tests, isTransactional) => {
        const text = firstPolicyText({
          project: { name: "mine", kinds: [], lockFiles: [], ci: [], tests, filled: [], needsImage: null },
          isTransactional,
          image: null,
        });
        expect(commentsOf(text)).toHaveLength(text.trimEnd().split("\n").length);
        expect((stated(text).commands.rules ?? []).map(({ allow }) => allow)).toEqual(isTransactional ? [] : tests);
      }),
      { numRuns: 40 },
    );
  });
});
