import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EFFECT_KINDS, type EffectKind } from "../../../src/programs/effect.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import { decide } from "../../../src/policy/deciding/evaluate.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { Request } from "../../../src/policy/request.ts";
import type { Effect, Word } from "../../../src/shell/model/model.ts";
import { commandRequest, compileTexts, CONTEXT, factsFor, literal, policyOf, policyText, simpleCommand } from "../bench.ts";

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const WORDS = ["git", "push", "--force", "ls", "-la", "npm", "test", "x"];

const word: fc.Arbitrary<Word> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS).map(literal) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "--f", "pu").map((prefix): Word => ({ kind: "dynamic", reason: "parameter", prefix, span: { start: 0, end: 0 } })),
  },
  { weight: 1, arbitrary: fc.constantFrom("*", "pu*", "--[a-z]*").map((glob): Word => ({ kind: "pattern", glob, span: { start: 0, end: 0 } })) },
);

const path = fc
  .constantFrom("src/a.ts", ".env", ".git/hooks/x", "vendor/b", "../other/c")
  .map((relative) => new URL(relative, `file://${CONTEXT.workspace}/`).pathname);

const effect: fc.Arbitrary<Partial<Effect>> = fc
  .tuple(fc.constantFrom(...EFFECT_KINDS), path, fc.boolean())
  .map(([kind, at, isWide]) =>
    kind === "reads" || kind === "writes" || kind === "deletes" ? { kind, path: { kind: "literal", path: at }, isWide } : { kind, isWide },
  );

const request: fc.Arbitrary<Request> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(effect, { maxLength: 3 }))
      .map(([argv, effects]) => commandRequest(simpleCommand("x", { argv, program: argv[0]?.kind === "literal" ? argv[0].value : null }), effects)),
  },
  { weight: 1, arbitrary: path.map((at): Request => ({ kind: "read", path: at, isRecursive: false })) },
  { weight: 1, arbitrary: path.map((at): Request => ({ kind: "write", path: at })) },
  { weight: 1, arbitrary: fc.constantFrom("a.example.org", "example.com").map((host): Request => ({ kind: "connect", host, port: 443 })) },
);

const verdict = fc.constantFrom("allow", "ask", "deny");
const ruleWords = fc.constantFrom("git push **", "git push --force **", "ls *", "npm test", "x", "git **");
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

/** The lines of a policy file that states some of everything. */
const policyLines: fc.Arbitrary<readonly string[]> = fc
  .record({
    autonomy: optional(fc.constantFrom("read-only", "supervised", "full")),
    access: optional(fc.constantFrom("read", "read-write")),
    runtime: optional(fc.constantFrom("docker", "bubblewrap")),
    bind: optional(fc.constantFrom("bind", "transactional")),
    forbidden: fc.boolean(),
    protects: fc.boolean(),
    only: optional(fc.subarray(["git", "ls", "npm", "x"])),
    block: optional(fc.boolean()),
    effects: fc.array(fc.tuple(fc.constantFrom(...EFFECT_KINDS.filter((kind) => !["runs-code", "unknown", "undecidable"].includes(kind))), verdict), {
      maxLength: 3,
    }),
    rules: fc.array(fc.tuple(verdict, ruleWords), { maxLength: 3 }),
    hosts: optional(fc.subarray(["a.example.org", "*.example.org", "example.com"])),
    denied: fc.boolean(),
  })
  .map((one) => [
    ...(one.autonomy === null ? [] : [`autonomy: ${one.autonomy}`]),
    "workspace:",
    `  forbidden: [${one.forbidden ? "'**/.env'" : ""}]`,
    `  protected: [${one.protects ? "'**/.git/hooks/**'" : ""}]`,
    ...(one.access === null ? [] : [`  roots: [{ path: '.', access: ${one.access} }]`]),
    "commands:",
    `  block-high-risk: ${one.block ?? false}`,
    `  effects: { ${[...new Map(one.effects)].map(([kind, said]) => `${kind}: ${said}`).join(", ")} }`,
    `  rules: [${one.rules.map(([said, words], index) => `{ id: rule-ID${index}, ${said}: '${words}', because: reason }`).join(", ")}]`,
    ...(one.only === null ? [] : [`  only: [${one.only.join(", ")}]`]),
    "sandbox:",
    "  env: []",
    ...(one.runtime === null ? [] : [`  runtime: ${one.runtime}`]),
    ...(one.bind === null ? [] : [`  workspace: ${one.bind}`]),
    ...(one.hosts === null ? [] : [`  network: { allow: [${one.hosts.map((host) => `'${host}'`).join(", ")}] }`]),
    `tools: { deny: [${one.denied ? "shell" : ""}] }`,
  ]);

function text(lines: readonly string[], id: string): string {
  return policyText(...lines).replaceAll("rule-ID", `rule-${id}`);
}

const containment = fc.constantFrom("profile" as const, "none" as const);

function judge(policy: Policy, requests: readonly Request[], where: "profile" | "none"): Decision {
  return decide(policy, { tool: "shell", requests }, factsFor(requests, { containment: where }));
}

test("adding a deny rule never lowers a verdict", () => {
  fc.assert(
    fc.property(policyLines, ruleWords, request, containment, (lines, words, wanted, where) => {
      const before = judge(policyOf(text(lines, "a")), [wanted], where);
      const denying = lines.map((line) =>
        line.startsWith("  rules: [") ? `${line.slice(0, -1)}${line.endsWith("[]") ? "" : ", "}{ id: added, deny: '${words}', because: no }]` : line,
      );
      const after = judge(policyOf(text(denying, "a")), [wanted], where);
      expect(STRICTNESS[after.verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict]);
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
