import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import { sensitiveRead } from "../../../src/policy/deciding/sensitive-reads.ts";
import { type Label, SIGHTS, supposedLabels } from "../../../src/policy/label.ts";
import { EFFECT_KINDS } from "../../../src/programs/effect.ts";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import { CONTEXT, decideCommand, factsFor, policyOf, policyText } from "../bench.ts";
import { policyLines, request, ruleWords, text } from "../random-policies.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const when = fc.constantFrom("tainted", "sensitive", "[tainted, sensitive]");
const tightening = fc.constantFrom("ask", "deny");
const seen = fc.uniqueArray(fc.constantFrom(...SIGHTS)).map(supposedLabels);

/** A policy at random, with rules and effects of which some wait for what a model was given. */
const conditional = fc
  .tuple(
    policyLines,
    fc.array(fc.tuple(tightening, when, ruleWords), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...EFFECT_KINDS), tightening, when), { maxLength: 4 }),
  )
  .map(([lines, rules, effects]) => {
    const added = rules.map(([verdict, on, words], index) => `{ id: held-${index}, ${verdict}: '${words}', because: reason, when: ${on} }`).join(", ");
    const tightened = [...new Map(effects.map((each) => [each[0], each]))];
    return ["autonomy: full", ...lines.filter((line) => !/^(?:autonomy|tools|  only):/u.test(line))].map((line) => {
      if (line.startsWith("  rules: [")) return `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}${added}]`;
      if (!line.startsWith("  effects: {")) return line;
      const plain = new Map(
        [...line.matchAll(/(?<kind>[a-z-]+): (?<verdict>allow|ask|deny)/gu)].map(({ groups }) => [groups?.["kind"] ?? "", groups?.["verdict"] ?? ""]),
      );
      const values = new Map<string, string>(plain);
      for (const [kind, [, verdict, on]] of tightened)
        values.set(kind, `[${plain.has(kind) ? `${plain.get(kind)}, ` : ""}{ verdict: ${verdict}, when: ${on} }]`);
      return `  effects: { ${[...values].map(([kind, value]) => `${kind}: ${value}`).join(", ")} }`;
    });
  });

test("more labels never loosen, unit by unit, and what nobody knows is as strict as all of them", () => {
  let stricter = 0;
  fc.assert(
    fc.property(
      conditional,
      fc.array(request, { minLength: 1, maxLength: 3 }),
      seen,
      seen,
      fc.constantFrom("profile" as const, "none" as const),
      (...[lines, requests, few, more, containment]) => {
        const policy = policyOf(text(lines, "a"));
        const judged = (labels: readonly Label[] | undefined) =>
          decide(policy, { tool: "shell", requests }, factsFor(requests, { containment, ...(labels === undefined ? {} : { labels }) }));
        const [less, most, unknown] = [judged(few), judged([...few, ...more]), judged(undefined)];
        for (const [one, other] of [[less, most] as const, [most, unknown] as const]) {
          expect(STRICTNESS[other.verdict]).toBeGreaterThanOrEqual(STRICTNESS[one.verdict]);
          for (const [index, unit] of one.units.entries())
            expect(STRICTNESS[other.units[index]?.verdict ?? "allow"]).toBeGreaterThanOrEqual(STRICTNESS[unit.verdict]);
        }
        expect(judged(supposedLabels(SIGHTS)).verdict).toBe(unknown.verdict);
        expect(judged(few)).toEqual(less);
        expect(most.rules[0]?.verdict).toBe(most.verdict);
        if (STRICTNESS[unknown.verdict] > STRICTNESS[judged([]).verdict]) stricter += 1;
      },
    ),
    { numRuns: 600 },
  );
  // Did no condition ever speak, all of this would hold as well.
  expect(stricter).toBeGreaterThan(20);
});

test("without a label a condition says nothing: all is as if it were not written", () => {
  fc.assert(
    fc.property(policyLines, ruleWords, when, tightening, request, (...[lines, words, on, verdict, wanted]) => {
      const added = lines.map((line) =>
        line.startsWith("  rules: [")
          ? `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}{ id: held, ${verdict}: '${words}', because: no, when: ${on} }]`
          : line,
      );
      const [plain, conditioned] = [lines, added].map((each) =>
        decide(policyOf(text(each, "a")), { tool: "shell", requests: [wanted] }, factsFor([wanted], { labels: [] })),
      );
      expect(conditioned).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});

test("the reason names the label, where it came from, and the rule's place", () => {
  const policy = policyOf(policyText("autonomy: full", "commands: { rules: [{ id: no-list, deny: 'ls *', because: It was read., when: tainted }] }"));
  const label: Label = { trust: "untrusted", isSensitive: false, source: "file /w/notes.md", call: "call-7", run: "run-1" };
  const decision = decideCommand(policy, "ls a", { labels: [label] });
  expect(decision.reason).toContain("It was read. It counts here because the model was given what is untrusted: file /w/notes.md (call call-7 of run-1).");
  expect(decision.rules[0]).toMatchObject({ id: "no-list", at: { file: "policy.yaml", line: 4 }, when: ["tainted"] });
  expect(decideCommand(policy, "ls a").reason).toContain("nobody knows what the model was given");
});

test("a call that may read what is marked as sensitive counts as reading it", () => {
  const policy = policyOf(policyText("workspace: { sensitive: ['customers/**', '**/*.key'] }"));
  const { workspace: cwd, home } = CONTEXT;
  const ofCommand = (command: string, paths = new Map()) =>
    sensitiveRead(policy, { requests: [{ kind: "command", text: command, cwd, analysis: analyseCommand(command, { cwd, home }) }] }, paths);
  for (const command of [
    "cat customers/a.csv",
    "cat c*/a.csv",
    'cat "$f"',
    "grep -r x .",
    "npm test",
    "cp customers/a.csv b",
    'eval "$x"',
    "cat src/../a.key",
    "cat link/../a.csv",
    "cd link; cat ../a.csv",
  ])
    expect([command, ofCommand(command)]).toEqual([command, expect.any(String)]);
  for (const command of ["cat src/a.ts", "ls", "echo customers", "cat src/*.ts"]) expect([command, ofCommand(command)]).toEqual([command, null]);
  const real = { path: `${cwd}/link`, real: `${cwd}/customers/a.csv`, type: "file", links: 1 } as const;
  expect(ofCommand("cat link", new Map([[real.path, real]]))).not.toBeNull();
  const read = (path: string, isRecursive: boolean) => sensitiveRead(policy, { requests: [{ kind: "read", path: `${cwd}/${path}`, isRecursive }] }, new Map());
  expect([read("customers/b", false), read("src", true), read("src/a.ts", false)]).toEqual([expect.any(String), expect.any(String), null]);
  expect(sensitiveRead(policyOf(policyText()), { requests: [{ kind: "read", path: `${cwd}/a.key`, isRecursive: true }] }, new Map())).toBeNull();
});
