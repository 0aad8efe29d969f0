import { AgentError } from "../../base/errors.ts";
import { commandEnvironment } from "../command-environment.ts";
import { insideProperties, INSIDE_SCRIPT } from "./inside-view.ts";
import type { Property } from "../runtime.ts";
import { closeParts, openParts, type SessionPlan } from "../session.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

const LOOK_TIMEOUT_MS = 20_000;
const MAX_VIEW_BYTES = 512 * 1024;

/**
 * Opens a sandbox as a run would, looks at it from outside (`outside`, what the engine reports) and from inside (what the kernel tells a
 * command), and closes it. Throws what opening throws; then nothing is left.
 */
export async function checkSandbox(plan: SessionPlan, outside: (workspace: PreparedWorkspace) => Promise<readonly Property[]>): Promise<readonly Property[]> {
  const parts = await openParts(plan, new Map());
  try {
    const { profile, home, user, mounts } = parts.workspace;
    const seen = await outside(parts.workspace);
    const reply = await parts.lane.supervisor.exec({
      argv: ["/bin/sh", "-c", INSIDE_SCRIPT],
      cwd: "/",
      env: commandEnvironment(profile, home),
      timeoutMs: LOOK_TIMEOUT_MS,
      outputBytes: MAX_VIEW_BYTES,
    });
    if (reply.kind !== "ended" || reply.exitCode !== 0)
      throw new AgentError("sandbox-unavailable", `The sandbox cannot be looked at from inside: ${reply.kind === "ended" ? reply.stderr.text : reply.reason}`);
    return [...seen, ...insideProperties(reply.stdout.text, { profile, user, mounts, uncounted: parts.lane.uncounted ?? [] })];
  } finally {
    await closeParts(parts, plan.options.runDirectory);
  }
}
