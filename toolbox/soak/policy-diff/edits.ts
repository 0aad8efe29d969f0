import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { comparePolicies } from "../../../src/app/policy/comparison.ts";
import { AgentError } from "../../../src/base/errors.ts";
import type { Outcome } from "../../../src/policy/comparing/difference.ts";
import { createRandom, type Random } from "../../shared/random.ts";

const RULES = [
  'allow: "npm test"',
  'allow: "git commit **"',
  'deny: "git push **"',
  'ask: "git log **"',
  'allow: "make *"',
  'deny: "npm publish **"',
  'allow: "node **"',
  'deny: "rm -r **"',
  'allow: "git tag *"',
  'ask: "curl **"',
  'allow: "cargo test"',
];
const EFFECTS = ["history: allow", "writes: allow", "connects: ask", "sends: deny", "deletes: allow", "persists: deny", "processes: ask", "remembers: allow"];
const FORBIDDEN = ["**/*.secret", "private/**", "**/.env.local", "**/id_*", "~/x/**"];
const SWITCHES: readonly (readonly [RegExp, string])[] = [
  [/^autonomy: supervised/mu, "autonomy: full"],
  [/^autonomy: full/mu, "autonomy: supervised"],
  [/workspace: bind/u, "workspace: transactional"],
  [/workspace: transactional/u, "workspace: bind"],
  [/on-ask: deny/u, "on-ask: park"],
  [/allow: \[\]/u, "allow: [registry.example.org]"],
  [/access: read-write/u, "access: read"],
];

/** What people change in a policy: an entry of a list goes, a pattern, a rule, an effect or a number becomes another one. */
function editOf(text: string, random: Random): string {
  const lines = text.split("\n");
  const behind = (pattern: RegExp, ...added: readonly string[]): string | null => {
    const at = lines.findIndex((line) => pattern.test(line));
    return at < 0 ? null : lines.toSpliced(at + 1, 0, ...added).join("\n");
  };
  const anyOf = (pattern: RegExp): number | null => {
    const found = lines.flatMap((line, index) => (pattern.test(line) && !/version|#/u.test(line) ? [index] : []));
    return found.length === 0 ? null : random.pick(found);
  };
  switch (random.below(7)) {
    case 0: {
      const at = anyOf(/^\s+- /u);
      return at === null ? text : lines.toSpliced(at, 1).join("\n");
    }
    case 1:
      return behind(/^ {2}forbidden:\s*$/u, `    - "${random.pick(FORBIDDEN)}"`) ?? text;
    case 2:
    case 3: {
      const rule = `    - { id: edit-one, ${random.pick(RULES)}, because: x }`;
      return behind(/^ {2}rules:\s*$/u, rule) ?? behind(/^commands:\s*$/u, "  rules:", rule) ?? [...lines, "commands:", "  rules:", rule, ""].join("\n");
    }
    case 4: {
      const effect = random.pick(EFFECTS);
      if (text.includes(`    ${effect.split(":")[0] ?? ""}:`)) return text;
      return behind(/^ {2}effects:\s*$/u, `    ${effect}`) ?? behind(/^commands:\s*$/u, `  effects: { ${effect} }`) ?? text;
    }
    case 5: {
      const at = anyOf(/\b\d+\b/u);
      const other = (number: string): string => String(random.once(2) ? Number(number) * 2 : Math.max(1, Math.floor(Number(number) / 2)));
      return at === null ? text : lines.with(at, (lines[at] ?? "").replace(/\b\d+/u, other)).join("\n");
    }
    default: {
      const [from, to] = random.pick(SWITCHES);
      return text.replace(from, to);
    }
  }
}

/** Compares policies with edits of them. `may`: what is told only to be possible, and how often. */
export async function measureEdits(
  edits: number,
  seed: number,
): Promise<{ readonly edits: number; readonly outcomes: Record<Outcome, number>; readonly share: number; readonly may: Record<string, number> }> {
  const files = ["policies/*.yaml", "examples/*/policy.yaml"].flatMap((pattern) => globSync(pattern)).filter((file) => !file.endsWith(".test.yaml"));
  const random = createRandom(seed);
  const outcomes: Record<Outcome, number> = { same: 0, "only-tightens": 0, widens: 0, "may-widen": 0 };
  const may: Record<string, number> = {};
  const directory = mkdtempSync(join(tmpdir(), "warder-edits-"));
  const sides = ["before", "after"].map((name) => ({ kind: "file", file: join(directory, `${name}.yaml`) }) as const);
  for (let done = 0; done < edits;) {
    const file = random.pick(files.toSorted());
    const text = readFileSync(file, "utf8");
    const edited = editOf(text, random);
    if (edited === text) continue;
    for (const [index, content] of [text, edited].entries()) writeFileSync(sides[index]?.file ?? "", content);
    const comparison = await comparePolicies(sides[0] as (typeof sides)[0], sides[1] as (typeof sides)[0]).catch((error: unknown) => {
      // Not every edit is a policy.
      if (error instanceof AgentError && error.code === "bad-policy") return null;
      throw error;
    });
    if (comparison === null) continue;
    done += 1;
    outcomes[comparison.outcome] += 1;
    if (comparison.outcome !== "may-widen") continue;
    for (const { part, direction } of comparison.differences) {
      if (direction !== "may-widen") continue;
      const name = `${basename(file)}: ${part.what}: ${part.was ?? "none"} → ${part.is ?? "none"}`;
      may[name] = (may[name] ?? 0) + 1;
    }
  }
  rmSync(directory, { recursive: true });
  return { edits, outcomes, share: outcomes["may-widen"] / edits, may };
}
