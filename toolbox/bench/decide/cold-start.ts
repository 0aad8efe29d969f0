import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rowOf, timed, type Row } from "../../shared/samples.ts";

/** Of the largest policy. */
const RULES = 1_000;
const ROOT = join(import.meta.dirname, "..", "..", "..");
const WARDER = join(ROOT, "bin", "warder");
const SOURCES = join(ROOT, "src", "cli", "main.ts");

export const BARE = "node -e 0";
export const CHECK = "warder check, cold start";

const { currentBundle } = createRequire(import.meta.url)("../../../bin/check.cjs") as { currentBundle: (name: string) => string | null };

/** Rows by name, and whether `warder check` started from its bundle: where a source changed since setup, it does not. */
export type ColdStart = { readonly rows: Readonly<Record<string, Row>>; readonly isBundled: boolean };

/**
 * From nothing to a verdict: `node -e 0`, `warder check`, the same with a policy file of one's own, and from the sources; all as new
 * processes, turn by turn. The first round, which fills the compile cache that `bin/warder` keeps in the checkout, is not counted.
 */
export function measureColdStart(rounds: number): ColdStart {
  const root = mkdtempSync(join(tmpdir(), "warder-bench-"));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const env = { ...process.env, HOME: root, WARDER_HOME: join(root, "state"), NODE_COMPILE_CACHE: join(ROOT, ".tools", "compile-cache") };
  const run = (command: string, argv: readonly string[], input = ""): void => {
    const { status, stderr } = spawnSync(command, argv, { cwd: workspace, env, encoding: "utf8", input });
    if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${stderr}`);
  };
  const own = join(root, "own.yaml");
  writeFileSync(own, "version: 1\nname: own\nextends: supervised\nworkspace:\n  forbidden: [secret]\n");
  const rules = join(root, "rules.yaml");
  const rule = (index: number): string => `    - { id: r${String(index)}, allow: "tool${String(index)} run *", because: "A rule." }\n`;
  writeFileSync(
    rules,
    `version: 1\nname: rules\nextends: supervised\ncommands:\n  rules:\n${Array.from({ length: RULES }, (_, index) => rule(index)).join("")}`,
  );
  const event = JSON.stringify({ session_id: "s", cwd: workspace, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "git status" } });
  const hook = (policy: string): void => run(WARDER, ["hook", "claude-code", "--policy", policy], event);
  const ways: Readonly<Record<string, () => void>> = {
    [BARE]: () => run(process.execPath, ["-e", "0"]),
    [CHECK]: () => run(WARDER, ["check", "git status"]),
    "the same, a policy of one's own": () => run(WARDER, ["check", "git status", "--policy", own]),
    "warder hook, a shipped policy": () => hook("supervised"),
    "the same, a policy of one's own with the hook": () => hook(own),
    [`the same, ${String(RULES)} rules of one's own`]: () => hook(rules),
    "warder check, from the sources": () => run(process.execPath, [SOURCES, "check", "git status"]),
  };
  const times = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
  try {
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, way] of Object.entries(ways)) {
        const time = timed(way);
        if (round >= 0) times.get(name)?.push(time);
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { rows: Object.fromEntries([...times].map(([name, measured]) => [name, rowOf(measured)])), isBundled: currentBundle("check") !== null };
}
