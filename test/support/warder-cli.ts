import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "./run-folder.ts";
import { exitCodeOf } from "./until.ts";

/** The command line: `bin/warder`, or the bundle of it that scripts/test makes, because tests start it hundreds of times. */
export const WARDER = process.env["TEST_WARDER"] ?? join(import.meta.dirname, "..", "..", "bin", "warder");

/** A home, a state directory and a workspace of a test's own. */
export type Place = { readonly root: string; readonly home: string; readonly state: string; readonly workspace: string };

/** Makes a place below the system's temporary directory. `remove` it afterwards. */
export function makePlace(): Place & { remove(): void } {
  const root = mkdtempSync(join(tmpdir(), "warder-e2e-"));
  const place = { root, home: join(root, "home"), state: join(root, "state"), workspace: join(root, "workspace") };
  for (const path of [place.home, place.workspace]) mkdirSync(path);
  return { ...place, remove: () => removeFolder(root) };
}

/** What a run or a command starts with, and nothing else, on standard error. */
export const OPENED = /^warder: policy \S+ \(sha256:[0-9a-f]{12}…\), [^\n]*; boundary probed: (\d+) of \1 hold\n$/u;

export type CliEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string; readonly durationMs: number };

/** Starts {@link WARDER} in the place's workspace, as a new session without a terminal. */
export function startWarder(place: Place, argv: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, HOME: place.home, WARDER_HOME: place.state, NO_COLOR: "1", ...environment };
  return spawn(WARDER, argv, { cwd: place.workspace, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
}

/** Runs {@link WARDER} to its end. */
export async function warder(
  place: Place,
  argv: readonly string[],
  options: { environment?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<CliEnd> {
  const startedAtMs = performance.now();
  const child = startWarder(place, argv, options.environment);
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  // On a busy machine it may have ended before; what it printed and its code say what came of it.
  child.stdin?.on("error", () => undefined).end(options.input ?? "");
  const exitCode = await exitCodeOf(child, () => `${output.stdout}\n${output.stderr}`);
  return { exitCode, ...output, durationMs: performance.now() - startedAtMs };
}

/** Writes a policy that extends a shipped one beside the place's workspace, and returns its path. */
export function writePolicy(place: Place, name: string, text: string): string {
  const path = join(place.root, `${name}.yaml`);
  writeFileSync(path, text);
  return path;
}
