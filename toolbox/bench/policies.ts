/**
 * What the size of a policy costs: with 10, 100, 1,000 and 10,000 rules, loading it from its file and deciding by it; and comparing two policies of 1,000 rules.
 * Loading and comparing in the processor's time, beside a process of `node -e 0`.
 *
 *   npm run bench -- policies [--json] [--sizes 10,100,1000,10000]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadPolicy } from "../../src/config/policy/load.ts";
import { diffPolicies } from "../../src/policy/comparing/diff-policies.ts";
import { decide } from "../../src/policy/deciding/evaluate.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { timed, timedOnProcessor } from "../shared/samples.ts";
import { TYPICAL_COMMANDS } from "./decide/typical-commands.ts";

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false }, sizes: { type: "string", default: "10,100,1000,10000" } } });
const sizes = options.sizes.split(",").map(Number);

const PLACES = { workspace: "/home/dev/project", home: "/home/dev" };
const PROGRAMS = ["npm", "git", "make", "cargo", "go", "docker", "kubectl", "x"];
/** So often each command is decided; of these the least counts, which other work on the machine changes little. */
const ROUNDS = 6;

const root = mkdtempSync(join(tmpdir(), "warder-bench-"));

/** Every other rule denies, each about a command of its own. `changed`: so many of them are about another one. */
function policyOf(count: number, changed = 0): { readonly policy: Policy; readonly loadMs: number } {
  const rules = Array.from({ length: count }, (_, index) => {
    const words = `${PROGRAMS[index % PROGRAMS.length] ?? ""} run task-${String(index)}${index < changed ? "-other" : ""} *`;
    return `    - { id: r${String(index)}, ${index % 2 === 0 ? "allow" : "deny"}: "${words}", because: A rule. }`;
  });
  const file = join(root, `p${String(count)}-${String(changed)}.yaml`);
  writeFileSync(file, ["version: 1", "name: p", "autonomy: full", "commands:", "  rules:", ...rules, ""].join("\n"));
  let policy: Policy | null = null;
  const loadMs = timedOnProcessor(() => {
    ({ policy } = loadPolicy(file, { ...PLACES, stateDirectory: join(root, "state") }));
  });
  if (policy === null) throw new Error("it was not loaded");
  return { policy, loadMs };
}

const facts = {
  measured: "session",
  containment: "profile",
  nowMs: 0,
  isStopped: false,
  isSandboxReady: true,
  actionsLeft: null,
  asksLeft: null,
  paths: new Map(),
  home: PLACES.home,
  ownPaths: [],
} as const;

const calls = [...TYPICAL_COMMANDS, ...PROGRAMS.map((program) => `${program} run task-7 a`)].map((text) => ({
  tool: "shell",
  requests: [{ kind: "command" as const, text, cwd: PLACES.workspace, analysis: analyseCommand(text, { cwd: PLACES.workspace, home: PLACES.home }) }],
}));

/** Of the least time of each call, by the clock, in microseconds: the 50th and the 99th part of a hundred. */
function decisionUs(policy: Policy): { readonly p50: number; readonly p99: number } {
  const round = (): number[] => calls.map((call) => timed(() => decide(policy, call, facts)));
  const rounds = Array.from({ length: ROUNDS }, round);
  const least = calls.map((_, index) => Math.min(...rounds.map((times) => times[index] ?? 0)) * 1000).toSorted((one, other) => one - other);
  const at = (part: number): number => Number((least[Math.floor(least.length * part)] ?? 0).toFixed(1));
  return { p50: at(0.5), p99: at(0.99) };
}

/** Of a process of its own, from its start to its end. */
function bareMs(): number {
  const text = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$0" -e 0', process.execPath], { encoding: "utf8" }).stderr;
  return Math.round(text.split(/\s+/u).reduce((sum, part) => sum + Number(part), 0) * 1000);
}

try {
  const bare = [bareMs(), bareMs(), bareMs()].toSorted((one, other) => one - other)[1] ?? 0;
  const rows = sizes.map((rules) => {
    const { policy, loadMs } = policyOf(rules);
    const { p50, p99 } = decisionUs(policy);
    return { rules, loadMs: Math.round(loadMs), toBare: Number((loadMs / bare).toFixed(1)), p50, p99 };
  });
  const first = rows[0]?.p99 ?? 0;
  const [before, after, other] = [policyOf(1000).policy, policyOf(1000, 20).policy, policyOf(1000, 1000).policy];
  const diffMs = (one: Policy, two: Policy): number => Math.round(timedOnProcessor(() => diffPolicies(one, two, PLACES, Date.now())));
  const report = {
    nodeMs: bare,
    sizes: rows.map((row) => ({ ...row, p99ToFirst: Number((row.p99 / first).toFixed(2)) })),
    diffMs: { "20 rules of 1,000 changed": diffMs(before, after), "all 1,000 changed": diffMs(before, other) },
  };
  if (options.json) console.log(JSON.stringify(report));
  else {
    console.log(`node -e 0: ${String(bare)} ms of processor time`);
    console.table(report.sizes);
    console.table(report.diffMs);
  }
} finally {
  rmSync(root, { recursive: true });
}
