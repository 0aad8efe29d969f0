import { AgentError } from "../../base/errors.ts";
import { commandEnvironment } from "../command-environment.ts";
import type { Inspection, Property } from "../runtime.ts";
import { closeParts, openParts, type Opened, type SessionPlan } from "../parts.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

const LOOK_TIMEOUT_MS = 20_000;
const MAX_VIEW_BYTES = 512 * 1024;

/**
 * Opens a sandbox as a run would, looks at it from outside (`outside`, what the engine reports) and from inside, at leisure, and closes it. What does not
 * hold is told and not thrown. Throws what opening throws otherwise; then nothing is left.
 */
export async function checkSandbox(plan: SessionPlan, outside: (workspace: PreparedWorkspace) => Promise<readonly Property[]>): Promise<Inspection> {
  const parts = await openParts(plan, new Map(), () => undefined);
  try {
    const seen = await outside(parts.workspace);
    return { mount: parts.workspace.mount, properties: [...seen, ...parts.probed, await socketProperty(parts)] };
  } finally {
    await closeParts(parts, plan.options.runDirectory);
  }
}

/** Walks all that a command sees, which takes too long for the start of a session. */
async function socketProperty({ lane, workspace }: Opened): Promise<Property> {
  const reply = await lane.supervisor.exec({
    argv: ["/bin/sh", "-c", "find / -xdev -type s 2>/dev/null; true"],
    cwd: "/",
    env: commandEnvironment(workspace.profile, workspace.home),
    timeoutMs: LOOK_TIMEOUT_MS,
    outputBytes: MAX_VIEW_BYTES,
  });
  if (reply.kind !== "ended" || reply.exitCode !== 0)
    throw new AgentError("sandbox-unavailable", `The sandbox cannot be looked at from inside: ${reply.kind === "ended" ? reply.stderr.text : reply.reason}`);
  const found = reply.stdout.text.trim();
  return { what: "unix sockets in the file system", expected: "", found, isMet: found === "", seenFrom: "inside" };
}
