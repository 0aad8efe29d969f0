import { AgentError } from "../../base/errors.ts";
import { commandEnvironment } from "../command-environment.ts";
import { closeParts, openParts, type SessionPlan } from "../parts.ts";

const PROBE_TIMEOUT_MS = 30_000;
const MAX_PROBE_BYTES = 16 * 1024;

// Each line that it prints is one thing that is missing. Nothing but bash's own words, so that it runs in any image that has bash.
const PROBE = `
[[ -x /bin/sh ]] || echo "the program /bin/sh, which scripts begin with"
for place in "$HOME" /tmp; do { : >"$place/.warder-probe"; } 2>/dev/null || echo "a place at $place where the sandbox's user may write"; done
{ : >/.warder-probe; } 2>/dev/null && echo "a file system that is read-only"
for program in cat ls mkdir rm; do type -P $program >/dev/null || echo "the program $program"; done
type -P rg >/dev/null || echo "? ripgrep (rg), without which the tool grep_search fails"
true
`;

/** What an image lacks: `needed` keeps it from being used, without `wished` a tool fails. */
export type ImageReport = { readonly needed: readonly string[]; readonly wished: readonly string[] };

/** Opens a sandbox in an image as a run would, and looks whether a command finds what it needs. Throws `sandbox-unavailable` when none starts. */
export async function probeImage(plan: SessionPlan): Promise<ImageReport> {
  const parts = await openParts(plan, new Map());
  try {
    const reply = await parts.lane.supervisor.exec({
      argv: ["/bin/bash", "--norc", "--noprofile", "-c", PROBE],
      cwd: "/",
      env: commandEnvironment(parts.workspace.profile, parts.workspace.home),
      timeoutMs: PROBE_TIMEOUT_MS,
      outputBytes: MAX_PROBE_BYTES,
    });
    if (reply.kind === "not-started") return { needed: [`the program /bin/bash, which commands are run by (${reply.reason})`], wished: [] };
    if (reply.kind !== "ended" || reply.exitCode !== 0) {
      const reason = reply.kind === "ended" ? reply.stderr.text.trim() || `it ended with ${String(reply.exitCode ?? reply.signal)}` : reply.reason;
      throw new AgentError("sandbox-unavailable", `No command runs in the image: ${reason}`);
    }
    const lines = reply.stdout.text.split("\n").filter((line) => line !== "");
    return {
      needed: lines.filter((line) => !line.startsWith("? ")),
      wished: lines.flatMap((line) => (line.startsWith("? ") ? [line.slice(2)] : [])),
    };
  } finally {
    await closeParts(parts, plan.options.runDirectory);
  }
}
