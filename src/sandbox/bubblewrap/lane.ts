import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../base/errors.ts";
import { sha256 } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import { bubblewrapArguments } from "./arguments.ts";
import { maskedEntries, systemEntries, writeAccounts } from "./system-files.ts";
import { makeCgroups } from "../limits/cgroups.ts";
import { cgroupHold, endFrozen } from "../limits/cgroup-control.ts";
import { sandboxFile } from "../shipped-files.ts";
import { CLEAN_UP_GRACE_MS, HELLO_TIMEOUT_MS, type Lane, type LaneOptions } from "../lane.ts";
import { ownerOf } from "../owner.ts";
import type { OpenOptions, SandboxProfile } from "../runtime.ts";
import { seccompFilter } from "./seccomp.ts";
import { connectSupervisor } from "../supervisor/client.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

/** Descriptor 3: the first after the standard streams. */
const SECCOMP_FD = 3;
const END_TIMEOUT_MS = 3000;
const MAX_COMPLAINT = 4096;

// Joins the groups before anything is started, and so before anything could escape them, then becomes the sandbox's user.
const JOIN = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 71; shift; done; shift; exec "$@"';

/** Starts bubblewrap with the supervisor as PID 1. Throws `sandbox-unavailable`; then nothing is left. */
export async function openBubblewrapLane(
  plan: { profile: SandboxProfile; options: OpenOptions },
  workspace: PreparedWorkspace,
  laneOptions: LaneOptions,
): Promise<Lane> {
  const { profile, options } = plan;
  const { user, namespace } = workspace;
  const { egressDirectory } = laneOptions;
  const owner = ownerOf(process.pid);
  if (owner === null) throw new AgentError("broken-invariant", "This process is not in /proc.");
  const isRoot = process.getuid?.() === 0;
  // Of this lane alone: a program that runs cannot be written, and a job's lane starts while another runs.
  const laneId = newId("lane");
  const directory = `${workspace.directory}/${laneId}`;
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  const supervisorPath = `${directory}/supervisor`;
  copyFileSync(sandboxFile("build/warder-supervisor"), supervisorPath);
  chmodSync(supervisorPath, 0o755);
  const filterPath = `${directory}/seccomp.bpf`;
  const filter = seccompFilter();
  writeFileSync(filterPath, filter, { mode: 0o600 });
  const system = systemEntries();
  const files = writeAccounts(directory, user, workspace.home);
  const masked = maskedEntries();
  const maskFile = `${directory}/proc-mask`;
  writeFileSync(maskFile, "");
  chmodSync(maskFile, 0o444);
  const cgroups = makeCgroups(profile.settings, owner, `${options.runId}-${laneId}`);
  // Where no group counts memory, at least no process grows beyond it.
  const dataBytes = cgroups.missing.some((reason) => reason.startsWith("memory") || reason.startsWith("cgroup")) ? profile.settings.memoryBytes : null;
  const command = [
    "bwrap",
    ...bubblewrapArguments(profile, {
      user,
      mounts: workspace.mounts,
      system,
      files,
      masked,
      maskFile,
      supervisorPath,
      seccompFd: SECCOMP_FD,
      dataBytes,
      egressDirectory,
    }),
  ];
  // Without root the workspace is in a namespace of the run's own, or at least apart from what is mounted on the host meanwhile.
  const host = sandboxFile("build/warder-host");
  const apart = namespace === null ? [host, "apart"] : [host, "enter", String(namespace.pid), namespace.view];
  // Never as root, not even inside a user namespace: the kernel knows this uid outside too.
  const asUser = isRoot
    ? ["setpriv", `--reuid=${String(user.uid)}`, `--regid=${String(user.gid)}`, "--clear-groups", "--inh-caps=-all", ...command]
    : [...apart, ...command];
  const filterFd = openSync(filterPath, "r");
  const child = spawn("/bin/sh", ["-c", JOIN, "sh", ...cgroups.joinFiles, "--", ...asUser], {
    stdio: ["pipe", "pipe", "pipe", filterFd],
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: "/",
  });
  closeSync(filterFd);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new AgentError("broken-invariant", "The sandbox's streams are not there.");
  const ended = once(child, "close").then(
    () => undefined,
    () => undefined,
  );
  let complaint = "";
  stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT);
  });
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    stdin.destroy();
    const patience = new AbortController();
    const isLate = sleep(END_TIMEOUT_MS, true, { signal: patience.signal }).catch(() => false);
    if (await Promise.race([ended.then(() => false), isLate])) {
      child.kill("SIGKILL");
      // With version 1 of control groups what stands still outlives that.
      if (cgroups.groups !== null) endFrozen(cgroups.groups);
    }
    await ended;
    patience.abort();
    await cgroups.remove();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const supervisor = await connectSupervisor(
      { readable: stdout, writable: stdin },
      { helloTimeoutMs: HELLO_TIMEOUT_MS, graceMs: CLEAN_UP_GRACE_MS, onLost: laneOptions.onLost },
    );
    const end = async (): Promise<void> => {
      supervisor.close();
      await close();
    };
    // There is no image: what stands for it is everything that decides what is shown of the host.
    const imageDigest = `sha256:${sha256(JSON.stringify({ system, masked, filter: sha256(filter) }))}`;
    const hold = cgroups.groups === null ? {} : { hold: cgroupHold(cgroups.groups, supervisor, profile.settings) };
    return { supervisor, imageDigest, ...hold, close: () => (closing ??= end()) };
  } catch (error) {
    await close();
    throw new AgentError(
      "sandbox-unavailable",
      `bubblewrap did not start the sandbox: ${complaint.trim() === "" ? (error as Error).message : complaint.trim()}`,
      { cause: error },
    );
  }
}
