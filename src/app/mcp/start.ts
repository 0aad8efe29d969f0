import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { imagesByName } from "../../config/state/images.ts";
import { isStopped } from "../../gate/stop-switch.ts";
import type { StartPipe } from "../../mcp/transport.ts";
import type { McpServer } from "../../mcp/server.ts";
import type { OpenOptions, SandboxProfile } from "../../sandbox/runtime.ts";
import type { Records } from "../records/records.ts";
import { storedPath } from "../records/stored-path.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { profileOf } from "../setup/profile.ts";
import { runtimeNamed, type ChosenRuntime } from "../setup/runtimes.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

/** What every server may take: one that wants more is a program for a run's own sandbox. */
const LIMITS = { memoryBytes: 1024 ** 3, processes: 128, cpus: 1, outputBytes: 64 * 1024 };

/** `runId`: the run whose server it is, null: a person looks at it. */
export type ServerPlace = { readonly records: Records; readonly runId: string | null; readonly runtime?: ChosenRuntime | undefined };

/**
 * Starts a server in a sandbox of its own. It sees its roots and nothing else of this machine, and of those nothing that the policy forbids; it reaches its
 * hosts through an egress proxy of its own, and each connection is recorded.
 */
export function startIn(server: McpServer, context: WorkspaceContext, { records, runId, runtime: chosen }: ServerPlace): StartPipe {
  return async (onText) => {
    const runtime = await runtimeNamed(context.policy.sandbox.runtime, chosen);
    const { runs } = records.store.paths;
    removeKilled(runs);
    const id = newId("server");
    const runDirectory = join(runs, id);
    const scratch = server.roots.length === 0 ? temporaryWorkspace("warder-mcp-") : null;
    const removeAll = (): void => {
      scratch?.remove();
      removeUnlessKept(runDirectory);
    };
    try {
      mkdirSync(runDirectory, { mode: 0o700, recursive: true });
      const profile = profileFor(server, context, { records, workspace: scratch?.path ?? null });
      const served = await runtime.serve(profile, { ...egressOptionsFor(records, runId), runId: id, runDirectory }, { argv: server.command, onOutput: onText });
      let closing: Promise<void> | null = null;
      const closeAll = async (): Promise<void> => {
        try {
          served.uncovered();
        } finally {
          await served.close().finally(removeAll);
        }
      };
      return {
        write: (text) => {
          served.write(text);
        },
        ended: served.ended,
        close: () => (closing ??= closeAll()),
      };
    } catch (error) {
      removeAll();
      throw error;
    }
  };
}

function profileFor(
  server: McpServer,
  context: WorkspaceContext,
  { records, workspace }: { readonly records: Records; readonly workspace: string | null },
): SandboxProfile {
  const { policy } = context;
  const { runtime, engineRuntime, commandTimeoutMs } = policy.sandbox;
  const settings: SandboxProfile["settings"] = {
    runtime,
    ...(engineRuntime === undefined ? {} : { engineRuntime }),
    ...(server.image === undefined ? {} : { image: server.image }),
    workspace: workspace === null ? "bind" : "none",
    env: server.env,
    network: { allow: server.hosts },
    commandTimeoutMs,
    ...LIMITS,
  };
  const { gitIdentity: _gitIdentity, ...profile } = profileOf(
    { ...policy, sandbox: settings },
    { ...context, environment: process.env, imageNamed: imagesByName(records.store.paths.directory) },
  );
  return { ...profile, roots: workspace === null ? server.roots : [{ path: workspace, access: "read-write" }] };
}

/** What the way out of a server is told: where its connections are recorded, and who stops it. */
export function egressOptionsFor({ store, audit }: Records, runId: string | null): Pick<OpenOptions, "onConnection" | "isNetworkStopped"> {
  return {
    isNetworkStopped: () => isStopped(store, { ...(runId === null ? {} : { run: runId }), isNetwork: true }),
    onConnection: (connection) => {
      const request = connection.request === null ? null : { ...connection.request, path: storedPath(connection.request.path, audit) };
      appendAudit(audit, { run: runId, payload: { kind: "connection", ...connection, request } });
    },
  };
}

/** What is left where nothing was kept. */
const LOCK = "workspace.lock";
const KILLED_AFTER_MS = 3_600_000;

/** Of servers whose process was killed long ago: the runtime's own reaping has emptied them. */
export function removeKilled(runs: string): void {
  for (const name of readdirSync(runs)) {
    const directory = join(runs, name);
    const isServers = name.startsWith("server-");
    const madeMs = isServers ? (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) : Infinity;
    if (madeMs < systemClock.nowMs() - KILLED_AFTER_MS) removeUnlessKept(directory);
  }
}

/** What was taken out of a writable root stays for its person. */
export function removeUnlessKept(directory: string): void {
  if (!existsSync(directory) || readdirSync(directory).some((name) => name !== LOCK)) return;
  rmSync(directory, { recursive: true, force: true });
}
