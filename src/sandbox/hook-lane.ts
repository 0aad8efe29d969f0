import { AgentError } from "../base/errors.ts";
import { commandEnvironment } from "./command-environment.ts";
import { programsFound } from "./programs-found.ts";
import type { Lane } from "./lane.ts";
import type { PlannedMount } from "./mounts.ts";
import { openLaneIn, type Opened, type SessionPlan } from "./parts.ts";
import type { HookCommand, SandboxProfile } from "./runtime.ts";
import type { Outcome } from "./outcome.ts";
import type { Redaction } from "./redaction.ts";
import { execOutcome } from "./supervisor/outcomes.ts";
import type { PreparedWorkspace } from "./workspace/prepare.ts";

/** Where commands run that look at a run: they see its workspace and can change nothing of it. */
export type HookLane = {
  /** Never rejects. A lane that was lost is opened anew. */
  look(command: HookCommand, signal: AbortSignal): Promise<Outcome>;
  /** The first of these programs that is not there; null: all are. Throws `sandbox-unavailable`. */
  lacks(programs: readonly string[]): Promise<string | null>;
  close(): Promise<void>;
};

/** Of each stream: what is more ends the command. */
const MAX_OUTPUT_BYTES = 10 * 1024;

/** Beside what the policy gives the run's own commands. */
const MAX_MEMORY_BYTES = 512 * 1024 ** 2;
const MAX_PROCESSES = 128;
const MAX_SCRATCH_BYTES = 64 * 1024 ** 2;

/** Made with the session, opened with the first command or look. */
export function createHookLane(plan: SessionPlan, { workspace }: Pick<Opened, "workspace">, redaction: Redaction): HookLane {
  const apart = apartFrom(workspace);
  let opening: Promise<Lane> | null = null;
  const lost: Promise<unknown>[] = [];
  const open = (): Promise<Lane> => {
    const lane = openLaneIn(plan, apart, null, () => {
      if (opening === lane) opening = null;
      lost.push(lane.then((gone) => gone.close()).catch(() => undefined));
    });
    lane.catch(() => {
      if (opening === lane) opening = null;
    });
    return lane;
  };
  const current = (): Promise<Lane> => (opening ??= open());
  const look = async ({ argv, input, timeoutMs }: HookCommand, signal: AbortSignal): Promise<Outcome> => {
    const gone = uncovered(workspace);
    if (gone !== null) return gone;
    try {
      const { supervisor } = await current();
      const env = commandEnvironment(apart.profile, apart.home);
      // Not in the workspace: a program that reads its settings where it stands must not read the run's.
      const reply = await supervisor.exec(
        { argv, cwd: "/", env, timeoutMs, outputBytes: MAX_OUTPUT_BYTES, onLimit: "kill", stdin: new TextEncoder().encode(input) },
        { signal },
      );
      const shown = reply.kind === "not-started" ? reply : { ...reply, stdout: redaction.output(reply.stdout), stderr: redaction.output(reply.stderr) };
      return uncovered(workspace) ?? execOutcome(shown, { isCancelled: signal.aborted, timeoutMs });
    } catch (error) {
      if (error instanceof AgentError) return notStarted(error.message);
      throw error;
    }
  };
  return {
    look,
    lacks: async (programs) => {
      const { supervisor } = await current();
      const found = await programsFound(programs, commandEnvironment(apart.profile, apart.home), async (places) => {
        const reply = await supervisor.resolve(places);
        if (reply.kind === "failed") throw new AgentError("sandbox-unavailable", `The sandbox of hooks cannot be looked at: ${reply.reason}`);
        return reply.value;
      });
      return programs.find((program) => !found.has(program)) ?? null;
    },
    close: async () => {
      const lane = await opening?.catch(() => null);
      opening = null;
      await lane?.close();
      await Promise.all(lost);
    },
  };
}

/** Where somebody replaced on the host what the sandbox hides, a hook could see it. */
function uncovered(workspace: PreparedWorkspace): Outcome | null {
  const [first, ...more] = workspace.uncovered();
  if (first === undefined) return null;
  return notStarted(`Somebody replaced what the sandbox hides, and its mount is gone: ${first}${more.length > 0 ? ` and ${String(more.length)} more` : ""}.`);
}

function notStarted(reason: string): Outcome {
  return { kind: "failed", code: "session-lost", reason, durationMs: 0 };
}

/** The same workspace, all of it read-only, with scratch of its own, no way out and none of the run's variables. */
function apartFrom(workspace: PreparedWorkspace): PreparedWorkspace {
  const { settings, registries: _registries, gitIdentity: _gitIdentity, ...rest } = workspace.profile;
  const profile: SandboxProfile = {
    ...rest,
    roots: rest.roots.map(({ path }) => ({ path, access: "read" })),
    env: {},
    settings: {
      ...settings,
      env: [],
      network: { allow: [] },
      memoryBytes: Math.min(settings.memoryBytes, MAX_MEMORY_BYTES),
      processes: Math.min(settings.processes, MAX_PROCESSES),
    },
  };
  return { ...workspace, profile, hooks: null, mounts: workspace.mounts.map(readOnly) };
}

function readOnly(mount: PlannedMount): PlannedMount {
  if (mount.kind === "scratch") return { ...mount, maxBytes: Math.min(mount.maxBytes, MAX_SCRATCH_BYTES) };
  // An overlay that the engine mounts is a volume of that name.
  return mount.kind === "overlay" ? { kind: "volume", name: mount.name, target: mount.target, isReadOnly: true } : { ...mount, isReadOnly: true };
}
