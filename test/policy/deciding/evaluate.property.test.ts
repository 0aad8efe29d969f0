import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { EffectKind } from "../../../src/programs/effect.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { Request } from "../../../src/policy/request.ts";
import type { Effect } from "../../../src/shell/model/model.ts";
import { commandRequest, compileTexts, factsFor, literal, policyOf, policyText, simpleCommand } from "../bench.ts";
import { effect, policyLines, request, ruleWords, text } from "../random-policies.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const containment = fc.constantFrom("profile" as const, "none" as const);

function judge(policy: Policy, requests: readonly Request[], where: "profile" | "none"): Decision {
  return decide(policy, { tool: "shell", requests }, factsFor(requests, { containment: where }));
}

test("adding a deny rule never lowers a verdict", () => {
  fc.assert(
    fc.property(
      policyLines,
      ruleWords,
      fc.constantFrom("", ", except: ['git push']", ", between: '00:00-12:00 UTC'"),
      request,
      containment,
      (...[lines, words, more, wanted, where]) => {
        const before = judge(policyOf(text(lines, "a")), [wanted], where);
        const denying = lines.map((line) =>
          line.startsWith("  rules: [") ? `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}{ id: added, deny: '${words}', because: no${more} }]` : line,
        );
        const after = judge(policyOf(text(denying, "a")), [wanted], where);
        expect(STRICTNESS[after.verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict]);
      },
    ),
    { numRuns: 300 },
  );
});

test("a rule without its exceptions, and a deny without its hours, never loosens", () => {
  let stricter = 0;
  fc.assert(
    fc.property(
      policyLines,
      ruleWords,
      fc.constantFrom("git", "x", "npm"),
      fc.constantFrom("git", "x", "npm"),
      containment,
      (...[lines, words, except, run, where]) => {
        const more = `{ id: added, deny: '${words}', because: reason, except: ['${except}'], between: '12:00-22:00 UTC' }`;
        const open = ["autonomy: full", ...lines.filter((line) => !/^(?:autonomy|tools| {2}only):/u.test(line))].map((line) =>
          line.startsWith("  rules: [") ? `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}${more}]` : line,
        );
        const wanted = commandRequest(simpleCommand("x", { argv: [literal(run)], program: run }), []);
        const before = judge(policyOf(text(open, "a")), [wanted], where);
        const narrowed = text(open, "a")
          .replaceAll(/, except: \[[^\]]*\]/gu, "")
          .replaceAll(/(deny: '[^']*', because: reason), between: '[^']*'/gu, "$1");
        const after = judge(policyOf(narrowed), [wanted], where);
        expect(STRICTNESS[after.verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict]);
        if (after.verdict !== before.verdict) stricter += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(stricter).toBeGreaterThan(0);
});

test("a limit never loosens, less of it never does, and more uses never do", () => {
  let stricter = 0;
  fc.assert(
    fc.property(
      policyLines,
      ruleWords,
      fc.constantFrom("allow", "ask"),
      fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 2 })),
      request,
      containment,
      (...[lines, words, said, [times, less, used, more], wanted, where]) => {
        const limited = (max: string): Policy =>
          policyOf(
            text(
              lines.map((line) =>
                line.startsWith("  rules: [")
                  ? `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}{ id: added, ${said}: '${words}', because: few${max} }]`
                  : line,
              ),
              "a",
            ),
          );
        const verdict = (policy: Policy, uses: number): number =>
          STRICTNESS[
            decide(policy, { tool: "shell", requests: [wanted] }, factsFor([wanted], { containment: where, uses: new Map([["added", uses]]) })).verdict
          ];
        const bound = (count: number): Policy => limited(`, max: ${String(count)} per run`);
        const found = [
          verdict(limited(""), used),
          verdict(bound(times), used),
          verdict(bound(Math.max(1, times - less)), used),
          verdict(bound(Math.max(1, times - less)), used + more),
        ];
        expect(found).toEqual(found.toSorted((one, other) => one - other));
        if (found[0] !== found[3]) stricter += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(stricter).toBeGreaterThan(0);
});

test("removing an allow rule never lowers a verdict", () => {
  fc.assert(
    fc.property(policyLines, request, containment, (lines, wanted, where) => {
      const policy = policyOf(text(lines, "a"));
      const fewer = { ...policy, commands: { ...policy.commands, rules: policy.commands.rules.filter(({ verdict }) => verdict !== "allow") } };
      expect(STRICTNESS[judge(fewer, [wanted], where).verdict]).toBeGreaterThanOrEqual(STRICTNESS[judge(policy, [wanted], where).verdict]);
    }),
    { numRuns: 300 },
  );
});

test("the order of rules decides nothing", () => {
  fc.assert(
    fc.property(policyLines, request, containment, (lines, wanted, where) => {
      const policy = policyOf(text(lines, "a"));
      const reversed = { ...policy, commands: { ...policy.commands, rules: policy.commands.rules.toReversed() } };
      const [one, other] = [judge(policy, [wanted], where), judge(reversed, [wanted], where)];
      expect([other.verdict, other.risk, new Set(other.rules.map(({ id }) => id))]).toEqual([one.verdict, one.risk, new Set(one.rules.map(({ id }) => id))]);
    }),
    { numRuns: 300 },
  );
});

test("adding a request or an effect never lowers a verdict", () => {
  fc.assert(
    fc.property(policyLines, fc.array(request, { minLength: 1, maxLength: 3 }), request, effect, containment, (...[lines, requests, further, more, where]) => {
      const policy = policyOf(text(lines, "a"));
      const before = judge(policy, requests, where);
      expect(STRICTNESS[judge(policy, [...requests, further], where).verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict]);
      const [first, ...rest] = requests;
      if (first?.kind !== "command" || first.analysis.effects.length === 0) return;
      const grown: Request = {
        ...first,
        analysis: { ...first.analysis, effects: [...first.analysis.effects, { ...(first.analysis.effects[0] as Effect), ...more }] },
      };
      expect(STRICTNESS[judge(policy, [grown, ...rest], where).verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict]);
    }),
    { numRuns: 300 },
  );
});

test("a child never allows what its parent denies, whatever it states", () => {
  fc.assert(
    fc.property(policyLines, policyLines, request, containment, (parentLines, childLines, wanted, where) => {
      const parent = judge(policyOf(text(parentLines, "p")), [wanted], where);
      // A parent bounds only what it states: what it leaves to the defaults a child may open.
      fc.pre(parent.verdict === "deny" && parent.rules[0]?.at !== undefined);
      const child = judge(policyOf(text(childLines, "c"), text(parentLines, "p")), [wanted], where);
      expect(child.verdict).toBe("deny");
    }),
    { numRuns: 400 },
  );
});

test("the same facts give the same decision, and it is never without a rule", () => {
  fc.assert(
    fc.property(policyLines, fc.array(request, { maxLength: 3 }), containment, (lines, requests, where) => {
      const policy = policyOf(text(lines, "a"));
      const decision = judge(policy, requests, where);
      expect(judge(policy, requests, where)).toEqual(decision);
      expect(decision.rules.length).toBeGreaterThan(0);
      expect(decision.units.length).toBeGreaterThan(0);
      expect(decision.rules[0]?.verdict).toBe(decision.verdict);
    }),
    { numRuns: 200 },
  );
});

test("no policy with its sandbox open allows what nobody can read", () => {
  const opaque: readonly EffectKind[] = ["runs-code", "unknown", "undecidable"];
  for (const kind of opaque) expect(compileTexts([policyText(`commands: { effects: { ${kind}: allow } }`, "sandbox: { env: [TZ] }")]).kind).toBe("refused");
  fc.assert(
    fc.property(policyLines, fc.constantFrom(...opaque), containment, (lines, kind, where) => {
      const decision = judge(
        policyOf(text(lines, "a").replaceAll(/ allow: '[^']*'/gu, " ask: 'nothing'")),
        [commandRequest(simpleCommand("x"), [{ kind }])],
        where,
      );
      expect(decision.verdict).not.toBe("allow");
    }),
    { numRuns: 200 },
  );
});

test("an allowed effect of a child does not open what its parent blocks; in the blocking file itself it does", () => {
  const blocking = "autonomy: supervised\ncommands:\n  block-high-risk: true\n";
  const allowing = "commands:\n  effects: { persists: allow }\n";
  const wanted = commandRequest(simpleCommand("tool build"), [{ kind: "persists" }]);
  const both = `${blocking}  effects: { persists: allow }\n`;
  expect(judge(policyOf(policyText(both)), [wanted], "profile").rules[0]?.id).toBe("effect-persists");
  expect(judge(policyOf(policyText(allowing), policyText(blocking)), [wanted], "profile").rules[0]?.id).toBe("block-high-risk");
});

test("an allow rule of a child does not open what its parent blocks; in the blocking file itself it does", () => {
  const rooted = "autonomy: supervised\nworkspace:\n  roots: [{ path: '.', access: read-write }]\n";
  const allowing = "commands:\n  rules: [{ id: run-tests, allow: 'npm test', because: they are sealed, match: [npm test], not-match: [npm publish] }]\n";
  const blocking = "commands:\n  block-high-risk: true\n";
  const wanted = commandRequest(simpleCommand("npm test", { argv: [literal("npm"), literal("test")], program: "npm" }), [{ kind: "persists" }]);
  const both = `commands:\n  block-high-risk: true\n${allowing.slice("commands:\n".length)}`;
  expect(judge(policyOf(policyText(rooted, both)), [wanted], "profile").verdict).toBe("allow");
  expect(judge(policyOf(policyText(rooted, allowing), policyText(rooted, blocking)), [wanted], "profile").rules[0]?.id).toBe("block-high-risk");
  expect(judge(policyOf(policyText(rooted, both), policyText(rooted, blocking)), [wanted], "profile").rules[0]?.id).toBe("block-high-risk");
});
