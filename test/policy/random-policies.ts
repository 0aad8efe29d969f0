import * as fc from "fast-check";
import { EFFECT_KINDS } from "../../src/programs/effect.ts";
import type { Request } from "../../src/policy/request.ts";
import type { Effect, Word } from "../../src/shell/model/model.ts";
import { commandRequest, CONTEXT, literal, policyText, simpleCommand } from "./bench.ts";

// Policies and calls drawn at random, for what must hold of all of them.

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

export const effect: fc.Arbitrary<Partial<Effect>> = fc
  .tuple(fc.constantFrom(...EFFECT_KINDS), path, fc.boolean())
  .map(([kind, at, isWide]) =>
    kind === "reads" || kind === "writes" || kind === "deletes" ? { kind, path: { kind: "literal", path: at }, isWide } : { kind, isWide },
  );

export const request: fc.Arbitrary<Request> = fc.oneof(
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
export const ruleWords = fc.constantFrom("git push **", "git push --force **", "ls *", "npm test", "x", "git **");
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

const exception = optional(fc.constantFrom("git", "git push", "x", "ls -la"));
const hours = optional(fc.constantFrom("22:00-06:00 UTC", "12:00-22:00 UTC", "00:30-01:30 Europe/Berlin"));

function ruleLine([said, words, except, between]: readonly [string, string, string | null, string | null], index: number): string {
  const more = [...(except === null || said === "allow" ? [] : [`, except: ['${except}']`]), ...(between === null ? [] : [`, between: '${between}'`])];
  return `{ id: rule-ID${index}, ${said}: '${words}', because: reason${more.join("")} }`;
}

/** The lines of a policy file that states some of everything. */
export const policyLines: fc.Arbitrary<readonly string[]> = fc
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
    rules: fc.array(fc.tuple(verdict, ruleWords, exception, hours), { maxLength: 3 }),
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
    `  rules: [${one.rules.map((rule, index) => ruleLine(rule, index)).join(", ")}]`,
    ...(one.only === null ? [] : [`  only: [${one.only.join(", ")}]`]),
    "sandbox:",
    "  env: []",
    ...(one.runtime === null ? [] : [`  runtime: ${one.runtime}`]),
    ...(one.bind === null ? [] : [`  workspace: ${one.bind}`]),
    ...(one.hosts === null ? [] : [`  network: { allow: [${one.hosts.map((host) => `'${host}'`).join(", ")}] }`]),
    `tools: { deny: [${one.denied ? "shell" : ""}] }`,
  ]);

export function text(lines: readonly string[], id: string): string {
  return policyText(...lines).replaceAll("rule-ID", `rule-${id}`);
}
