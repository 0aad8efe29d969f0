import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Container, ContainerCreateOptions } from "dockerode";
import { digestOf } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { engineError } from "./engine.ts";
import { createOptionsOf, type DockerLanePlan, type Machine, startContainer } from "./lane.ts";
import { EGRESS_TARGET, HOOKS_TARGET } from "../hardening.ts";
import { sandboxFile } from "../shipped-files.ts";
import type { Lane, LaneOptions } from "../lane.ts";
import type { PlannedMount } from "../mounts.ts";
import type { ReadySandbox, SandboxPool } from "./pool.ts";
import type { SandboxProfile } from "../runtime.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";
import { isWithin } from "../workspace/scan/roots.ts";

const PLACE_TIMEOUT_MS = 10_000;

/** A container that was started ahead, with an empty directory in the place of each root. */
export type DockerSlot = ReadySandbox & {
  /**
   * Shows a workspace in it, as the engine would have: the same mounts, over the empty directories. Throws `sandbox-unavailable` when
   * that cannot be done; the container is then gone.
   */
  occupy(workspace: PreparedWorkspace, laneOptions: LaneOptions): Promise<Lane>;
};

type Shape = Pick<PreparedWorkspace, "user" | "home" | "mounts">;

/**
 * Whether a container for this profile can be started before its workspace is known: entering its mounts needs root, and a runtime
 * that shows the host's view of mounts to what runs inside.
 */
export function canBePooled({ settings }: SandboxProfile): boolean {
  return process.getuid?.() === 0 && settings.workspace !== "none" && settings.engineRuntime !== "runsc";
}

/** Names everything that a container has before a workspace is shown in it: containers of one kind differ in nothing. */
export function kindOf(plan: DockerLanePlan, shape: Shape, machine: Machine): string {
  return digestOf(slotOptions(plan, shape, { machine, id: "slot", directory: "/" }));
}

/** Starts one. Throws `sandbox-unavailable`; then nothing is left. */
export async function openSlot(
  plan: DockerLanePlan,
  shape: Shape,
  { machine, pool, id }: { readonly machine: Machine; readonly pool: SandboxPool; readonly id: string },
): Promise<DockerSlot> {
  const directory = join(pool.directory, id);
  for (const { name } of emptyDirectories(plan.profile)) mkdirSync(join(directory, name), { recursive: true, mode: 0o755 });
  mkdirSync(join(directory, "egress"));
  mkdirSync(join(directory, "hooks"), { mode: 0o755 });
  let onLost: ((reason: string) => void) | null = null;
  let isLost = false;
  const started = await startContainer(plan.engine, slotOptions(plan, shape, { machine, id, directory }), {
    imageId: machine.imageId,
    engine: machine.engine,
    onLost: (reason) => {
      isLost = true;
      onLost?.(reason);
    },
  }).catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  const close = async (): Promise<void> => {
    await started.lane.close();
    rmSync(directory, { recursive: true, force: true });
  };
  const lane: Lane = { ...started.lane, close };
  return {
    isAlive: () => !isLost,
    close,
    occupy: async (workspace, laneOptions) => {
      onLost = laneOptions.onLost;
      try {
        await place(await processOf(started.container), { directory, profile: plan.profile }, placedMounts(workspace, laneOptions));
        return lane;
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** The roots that lie in no other: what lies in one is shown once that one is. */
function emptyDirectories(profile: SandboxProfile): readonly { readonly name: string; readonly target: string }[] {
  return profile.roots
    .map(({ path }) => path)
    .filter((path) => !profile.roots.some((other) => other.path !== path && isWithin(path, other.path)))
    .map((target, index) => ({ name: `root-${String(index)}`, target }));
}

function slotOptions(
  plan: DockerLanePlan,
  { user, home, mounts }: Shape,
  { machine, id, directory }: { readonly machine: Machine; readonly id: string; readonly directory: string },
): ContainerCreateOptions {
  const empty = emptyDirectories(plan.profile).map(({ name, target }): PlannedMount => ({
    kind: "bind",
    source: join(directory, name),
    target,
    isReadOnly: true,
  }));
  if (plan.options.commitTrailer !== undefined) empty.push({ kind: "bind", source: join(directory, "hooks"), target: HOOKS_TARGET, isReadOnly: true });
  const egressDirectory = machine.egressDirectory === null ? null : join(directory, "egress");
  const shape = { user, home, mounts: [...mounts.filter(({ kind }) => kind === "scratch"), ...empty] };
  return createOptionsOf({ ...plan, options: { ...plan.options, runId: id } }, shape, { ...machine, egressDirectory });
}

type Placed = { readonly source: string; readonly target: string; readonly isReadOnly: boolean };

function placedMounts(workspace: PreparedWorkspace, { egressDirectory }: LaneOptions): readonly Placed[] {
  const egress = egressDirectory === null ? [] : [{ source: egressDirectory, target: EGRESS_TARGET, isReadOnly: true }];
  return [...workspace.mounts.filter((mount) => mount.kind === "bind"), ...egress];
}

async function processOf(container: Container): Promise<number> {
  try {
    return (await container.inspect()).State.Pid;
  } catch (error) {
    throw engineError(error);
  }
}

/** Through `warder-host place`, which looks whether the process is the container's (sandbox/host/README.md). */
async function place(pid: number, slot: { readonly directory: string; readonly profile: SandboxProfile }, mounts: readonly Placed[]): Promise<void> {
  const [first] = emptyDirectories(slot.profile);
  if (first === undefined) throw new AgentError("broken-invariant", "A sandbox was prepared for a profile without roots.");
  const child = spawn(sandboxFile("build/warder-host"), ["place", String(pid), join(slot.directory, first.name), first.target], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {},
    cwd: "/",
    timeout: PLACE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  // Its end is seen by `close`; a write after it would raise EPIPE here too.
  child.stdin.on("error", () => undefined);
  let answer = "";
  child.stdout.on("data", (data: Buffer) => {
    answer += data.toString();
  });
  const records = mounts.map(({ source, target, isReadOnly }) => ["bind", source, target, isReadOnly ? "ro" : "rw"]);
  child.stdin.end([...records, ["go"]].map((record) => `${record.join("\0")}\0\0`).join(""));
  await once(child, "close");
  if (answer === "ok\n") return;
  throw new AgentError("sandbox-unavailable", `The workspace cannot be shown in a sandbox that was started ahead: ${answer.trim() || "no answer"}`);
}
