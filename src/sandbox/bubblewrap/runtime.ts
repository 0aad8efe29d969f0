import { execFileSync } from "node:child_process";
import { AgentError } from "../../base/errors.ts";
import { openBubblewrapLane } from "./lane.ts";
import { reapCgroups } from "../limits/cgroups.ts";
import { sandboxFile } from "../shipped-files.ts";
import { namespaceFault } from "../workspace/mounts/user-namespace.ts";
import { reapRuns } from "../reap.ts";
import type { OpenOptions, Runtime, RuntimeStatus, SandboxProfile } from "../runtime.ts";
import { checkSandbox } from "../self-check/check.ts";
import { seccompFilter } from "./seccomp.ts";
import type { SessionPlan } from "../parts.ts";
import { openServed } from "../served.ts";
import { openSession } from "../session.ts";

const REMEDY = "Install bubblewrap 0.8 or later (Debian: apt-get install bubblewrap).";

/**
 * Sandboxes of the host's own programs through bubblewrap, for policies that name it. Never a substitute
 * for an engine that is missing.
 */
export function bubblewrapRuntime(): Runtime {
  return {
    name: "bubblewrap",
    check: usable,
    open: async (profile, options) => openSession(planOf(profile, options)),
    serve: async (profile, options, command) => openServed(planOf(profile, options), command),
    inspect: async (profile, options) => checkSandbox(planOf(profile, options), () => Promise.resolve([])),
    reap: async (stateDirectory) => [...(await reapCgroups()), ...(await reapRuns(stateDirectory))],
  };
}

function planOf(profile: SandboxProfile, options: OpenOptions): SessionPlan {
  const status = installed();
  if (!status.isReady) throw new AgentError("sandbox-unavailable", `${status.detail}${status.remedy === undefined ? "" : ` ${status.remedy}`}`);
  return {
    runtime: "bubblewrap",
    profile,
    options,
    isReachable: true,
    openLane: (workspace, laneOptions) => openBubblewrapLane({ profile: workspace.profile, options }, workspace, laneOptions),
  };
}

async function usable(): Promise<RuntimeStatus> {
  const status = installed();
  const fault = status.isReady && process.getuid?.() !== 0 ? await namespaceFault() : null;
  if (fault === null) return status;
  return { isReady: false, detail: fault.problem, ...(fault.remedy === null ? {} : { remedy: fault.remedy }) };
}

function installed(): RuntimeStatus {
  let version: string;
  try {
    version = execFileSync("bwrap", ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    }).trim();
  } catch (error) {
    return { isReady: false, detail: `bubblewrap cannot be run (${(error as Error).message.split("\n", 1)[0] ?? ""}).`, remedy: REMEDY };
  }
  const [major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  if (major === 0 && minor < 8) return { isReady: false, detail: `${version} is too old: it cannot forbid further user namespaces.`, remedy: REMEDY };
  try {
    for (const file of ["build/warder-supervisor", "build/warder-host"] as const) sandboxFile(file);
    seccompFilter();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { isReady: false, detail: error.message };
  }
  return { isReady: true, detail: `${version}, the host's programs` };
}
