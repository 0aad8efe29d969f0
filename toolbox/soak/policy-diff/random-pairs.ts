import { sha256 } from "../../../src/base/digest.ts";
import type { Random } from "../../shared/random.ts";

// Pairs of policies as text: one and what somebody made of it, or two that have nothing to do with each other.

const WORDS = ["git", "push", "--force", "origin", "commit", "-m", "a", "npm", "run", "test", "ls", "-la", "curl", "x"];
const GLOBS = ["*", "t*", "--f*", "[a-c]*", "?", "pu*", "*st"];
const PROGRAMS = ["git", "npm", "ls", "curl", "rm", "cat", "touch", "node", "make", "x", "/usr/bin/git"];
const KINDS = [
  "reads",
  "writes",
  "deletes",
  "history",
  "connects",
  "sends",
  "publishes",
  "remote",
  "processes",
  "persists",
  "privilege",
  "secrets",
  "invokes",
  "remembers",
];
const PATTERNS = ["**/.env", "**/.env.*", "**/secret/**", "src/*.pem", "**/.git/hooks/**", "/etc/x/**", "~/.ssh/**", "private", "**/a", "**/*.!(md)"];
const HOSTS = ["a.example.org", "*.example.org", "example.com", "example.com:8080", "*", "127.0.0.1:3000"];
const TOOLS = ["shell", "web_*", "@builtin", "x__*", "x__a", "*", "read_file"];

const LIMITS = ["1 per run", "2 per run", "3 per run", "2 per 1h"];
const HOURS = ["22:00-06:00 UTC", "06:00-22:00 Europe/Berlin", "00:30-01:30 Europe/Berlin"];

/** `max`: apart, as a rule keeps its name when its limit changes. */
type Rule = { readonly verdict: string; readonly words: string; readonly more: string; readonly max: string };

/** What a policy says, as far as it is drawn. */
export type Drawn = {
  readonly autonomy: string | null;
  readonly block: boolean;
  readonly only: readonly string[] | null;
  readonly effects: ReadonlyMap<string, string>;
  readonly tightened: ReadonlyMap<string, string>;
  readonly rules: readonly Rule[];
  readonly roots: readonly string[] | null;
  readonly forbidden: readonly string[];
  readonly keys: readonly string[];
  readonly protects: readonly string[];
  readonly hosts: readonly string[] | null;
  readonly registries: boolean;
  readonly env: boolean;
  readonly workspace: string | null;
  readonly runtime: string | null;
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
};

function some<Item>(random: Random, items: readonly Item[], most: number): readonly Item[] {
  return [...new Set(Array.from({ length: random.below(most + 1) }, () => random.pick(items)))];
}

function drawRule(random: Random): Rule {
  const verdict = random.pick(["allow", "ask", "deny"]);
  const first = verdict !== "allow" && random.once(12) ? "*" : random.pick(PROGRAMS);
  const further = Array.from({ length: random.below(4) }, () => (random.once(4) ? random.pick(GLOBS) : random.pick(WORDS)));
  const words = [first, ...further, ...(random.once(2) ? ["**"] : [])].join(" ");
  const when = verdict !== "allow" && random.once(8) ? `, when: ${random.pick(["tainted", "sensitive", "[tainted, sensitive]"])}` : "";
  const except =
    verdict !== "allow" && random.once(6)
      ? `, except: [${JSON.stringify([first === "*" ? "git" : first, ...further.slice(0, 2), random.pick(WORDS)].join(" "))}]`
      : "";
  const between = random.once(10) ? `, between: ${JSON.stringify(random.pick(HOURS))}` : "";
  return {
    verdict,
    words,
    max: verdict !== "deny" && random.once(6) ? `, max: ${random.pick(LIMITS)}` : "",
    more: `${verdict === "allow" && random.once(8) ? `, expires: ${random.pick(["2020-01-01", "2099-01-31", "2099-06-30"])}` : when}${except}${between}`,
  };
}

export function drawPolicy(random: Random, mostRules: number): Drawn {
  return {
    autonomy: random.once(5) ? null : random.pick(["read-only", "supervised", "supervised", "full"]),
    block: random.once(4),
    only: random.once(6) ? some(random, PROGRAMS, 6) : null,
    effects: new Map(some(random, KINDS, 4).map((kind) => [kind, random.pick(["allow", "ask", "deny"])])),
    tightened: new Map(random.once(5) ? [[random.pick(KINDS), random.pick(["ask", "deny"])]] : []),
    rules: Array.from({ length: random.below(mostRules + 1) }, () => drawRule(random)),
    roots: random.once(6)
      ? null
      : random.pick([[".:read-write"], [".:read"], [".:read-write", "vendor:read"], [".:read-write", "/srv/data:read-write"], [".:read-write", "~:read"]]),
    forbidden: some(random, PATTERNS, 4),
    keys: some(random, ["**/*.pem", "**/*.key"], 1),
    protects: some(random, PATTERNS, 2),
    hosts: random.once(2) ? [] : some(random, HOSTS, 3),
    registries: random.once(6),
    env: random.once(5),
    workspace: random.pick([null, "bind", "transactional"]),
    runtime: random.pick([null, "docker", "bubblewrap"]),
    allow: random.once(3) ? some(random, TOOLS, 3) : null,
    deny: some(random, TOOLS.slice(0, 5), 1),
  };
}

/** What a person changes at once: one thing, or two or three. */
export function editPolicy(random: Random, drawn: Drawn): Drawn {
  let edited = drawn;
  const fresh = drawPolicy(random, 3);
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const key = random.pick([
      "rules",
      "rules",
      "rules",
      "rules",
      "effects",
      "forbidden",
      "protects",
      "keys",
      "hosts",
      "autonomy",
      "block",
      "only",
      "roots",
      "tightened",
      "registries",
      "env",
      "workspace",
      "runtime",
      "allow",
      "deny",
    ] as const);
    edited = key === "rules" ? { ...edited, rules: editRules(random, edited.rules) } : { ...edited, [key]: fresh[key] };
  }
  return edited;
}

function editRules(random: Random, rules: readonly Rule[]): readonly Rule[] {
  const at = random.below(rules.length + 1);
  const old = rules[at];
  if (old !== undefined && old.verdict !== "deny" && random.once(6))
    return rules.with(at, { ...old, max: random.pick(["", ...LIMITS.map((limit) => `, max: ${limit}`)]) });
  const rest = random.once(2) ? rules.slice(at + 1) : rules.slice(at);
  return [...rules.slice(0, at), ...(random.once(3) ? [] : [drawRule(random)]), ...rest];
}

/** The file; rules keep their names as long as they say the same. */
export function policyLines(drawn: Drawn, name: string): string {
  const list = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
  const effects = new Map([...drawn.effects].map(([kind, verdict]) => [kind, [verdict]]));
  for (const [kind, verdict] of drawn.tightened) effects.set(kind, [...(effects.get(kind) ?? []), `{ verdict: ${verdict}, when: tainted }`]);
  const roots = drawn.roots?.map((root) => `{ path: ${JSON.stringify(root.split(":")[0])}, access: ${root.split(":")[1] ?? ""} }`);
  const used = new Map<string, number>();
  const rules = drawn.rules.map(({ verdict, words, more, max }) => {
    const text = `${verdict}: ${JSON.stringify(words)}, because: x${more}`;
    const count = (used.get(text) ?? 0) + 1;
    used.set(text, count);
    return `    - { id: ${name}-${sha256(text).slice(0, 12)}-${String(count)}, ${text}${max} }`;
  });
  return [
    "version: 1",
    `name: ${name}`,
    ...(drawn.autonomy === null ? [] : [`autonomy: ${drawn.autonomy}`]),
    "workspace:",
    `  forbidden: ${list(drawn.forbidden)}`,
    `  protected: ${list(drawn.protects)}`,
    `  keys: ${list(drawn.keys)}`,
    ...(roots === undefined ? [] : [`  roots: [${roots.join(", ")}]`]),
    "commands:",
    ...(drawn.block ? ["  block-high-risk: true"] : []),
    ...(drawn.only === null ? [] : [`  only: ${list(drawn.only)}`]),
    ...(effects.size === 0 ? [] : [`  effects: { ${[...effects].map(([kind, said]) => `${kind}: [${said.join(", ")}]`).join(", ")} }`]),
    ...(rules.length === 0 ? ["  rules: []"] : ["  rules:", ...rules]),
    "sandbox:",
    `  env: ${drawn.env ? "[TZ]" : "[]"}`,
    ...(drawn.workspace === null ? [] : [`  workspace: ${drawn.workspace}`]),
    ...(drawn.runtime === null ? [] : [`  runtime: ${drawn.runtime}`]),
    ...(drawn.hosts === null ? [] : ["  network:", `    allow: ${list(drawn.hosts)}`, ...(drawn.registries ? ["    registries: [npm]"] : [])]),
    ...(drawn.allow === null && drawn.deny.length === 0
      ? []
      : [`tools: { ${[...(drawn.allow === null ? [] : [`allow: ${list(drawn.allow)}`]), `deny: ${list(drawn.deny)}`].join(", ")} }`]),
    "",
  ].join("\n");
}
