import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { digestOf } from "../../src/base/digest.ts";
import { Permit } from "../../src/policy/permit.ts";
import type { SandboxSettings } from "../../src/policy/policy.ts";
import type { Outcome } from "../../src/sandbox/outcome.ts";
import type { PerformOptions, SandboxAction, SandboxProfile, Session } from "../../src/sandbox/runtime.ts";
import { diskFolder, removeFolder } from "../support/run-folder.ts";

/** A workspace and a run directory of a test, in a folder of their own. */
export type SandboxFixture = {
  readonly folder: string;
  readonly workspace: string;
  readonly state: string;
  readonly runDirectory: string;
  readonly runId: string;
  remove(): void;
};

/** Who runs these tests: root, or an ordinary user, whose sandboxes have another way to the same promises. */
export const OWN_UID = process.getuid?.() ?? 0;

/** Whose workspaces can be tested: an ordinary user has only its own. */
export const OWNERS: readonly number[] = OWN_UID === 0 ? [0, 1000] : [OWN_UID];

/** An ordinary user who has a workspace here: for root somebody else. */
export const ORDINARY_UID = OWN_UID === 0 ? 1000 : OWN_UID;

/** Makes files (by relative path) in a new workspace; `uid` owns everything in it. */
export function makeFixture(files: Readonly<Record<string, string>> = {}, uid = OWN_UID): SandboxFixture {
  const folder = mkdtempSync(join(diskFolder(), "warder-test-"));
  const workspace = join(folder, "workspace");
  const state = join(folder, "state");
  const runId = `run-${folder.slice(-6)}`;
  const runDirectory = join(state, "runs", runId);
  mkdirSync(workspace, { mode: 0o755 });
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  if (uid !== OWN_UID) {
    chownAll(workspace, uid);
    // Its owner reaches a workspace of theirs: git runs as them.
    chmodSync(folder, 0o711);
  }
  return { folder, workspace, state, runDirectory, runId, remove: () => removeFolder(folder) };
}

function chownAll(path: string, uid: number): void {
  chownSync(path, uid, uid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownAll(join(path, name), uid);
}

/** Whether the engine at DOCKER_HOST has not this machine's files (scripts/test-elsewhere.ts): then no workspace is bound. */
export const IS_ELSEWHERE = process.env["WARDER_TEST_ELSEWHERE"] === "1";

/** Whether every sandbox of these suites runs below gVisor (`npm run soak -- gvisor`). */
export const IS_GVISOR = process.env["WARDER_TEST_ENGINE_RUNTIME"] === "runsc";

export const SETTINGS: SandboxSettings = {
  runtime: "docker",
  workspace: "transactional",
  env: [],
  network: { allow: [] },
  memoryBytes: 256 * 1024 * 1024,
  cpus: 1,
  processes: 64,
  commandTimeoutMs: 200_000,
  outputBytes: 64 * 1024,
  ...(IS_GVISOR ? { engineRuntime: "runsc" } : {}),
};

export type ProfileChanges = Partial<Omit<SandboxProfile, "settings">> & { readonly settings?: Partial<SandboxSettings> };

/** A profile for a fixture: its workspace read-write, the usual forbidden and protected patterns. */
export function profileOf(fixture: SandboxFixture, changes: ProfileChanges = {}): SandboxProfile {
  return {
    roots: [{ path: fixture.workspace, access: "read-write" }],
    forbidden: [`${fixture.workspace}/**/.env`, `${fixture.workspace}/**/secrets/**`],
    protected: [`${fixture.workspace}/**/.git/hooks/**`, `${fixture.workspace}/**/.git/config*`, `${fixture.workspace}/policies/**`],
    env: {},
    home: "/home/somebody",
    ownPaths: [fixture.state],
    ...changes,
    settings: { ...SETTINGS, ...changes.settings },
  };
}

/** Performs an action with a permit of its own. */
export function perform(session: Session, action: SandboxAction, options?: PerformOptions): Promise<Outcome> {
  return session.perform(new Permit(digestOf(action), "ruling"), action, options);
}

/** An exec action of bash, in the workspace. */
export function bash(session: Session, text: string, changes: { timeoutMs?: number; outputBytes?: number } = {}): Extract<SandboxAction, { kind: "exec" }> {
  const cwd = session.profile.roots[0]?.path ?? "/";
  return { kind: "exec", argv: ["/bin/bash", "--norc", "--noprofile", "-c", text], cwd, env: {}, timeoutMs: 200_000, outputBytes: 64 * 1024, ...changes };
}

export type Ran = { readonly code: number | null; readonly signal: string | null; readonly out: string; readonly err: string };

/** Runs a bash text to its end; throws when it did not complete. */
export async function run(session: Session, text: string): Promise<Ran> {
  const outcome = await perform(session, bash(session, text));
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec") throw new Error(`It did not complete: ${JSON.stringify(outcome)}`);
  const { exitCode, signal, stdout, stderr } = outcome.result;
  return { code: exitCode, signal, out: stdout.text, err: stderr.text };
}
