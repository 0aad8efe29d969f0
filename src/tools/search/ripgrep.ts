import type { BoundedOutput, Outcome } from "../../sandbox/outcome.ts";
import { describeEnding, endingError, trustedError, untrustedError } from "../contract/result.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";

/**
 * What ripgrep printed, or that the sandbox has none, or the result that the call ends with instead. `skipped` and `ending` are lines for the model,
 * empty if there is nothing to say.
 */
export type Search =
  | { readonly kind: "found"; readonly stdout: BoundedOutput; readonly skipped: string; readonly ending: string }
  | { readonly kind: "no-ripgrep" }
  | { readonly kind: "ended"; readonly result: ToolResult };

/** What a .gitignore names is skipped, also where there is no repository. */
const ANYWHERE = "--no-require-git";

/** Runs ripgrep with these arguments below the path, inside the sandbox. */
export async function search(context: ToolContext, path: string, rgArguments: readonly string[]): Promise<Search> {
  const newest = await context.handles.shell.search(path, [ANYWHERE, ...rgArguments]);
  const outcome = isTooOld(newest) ? await context.handles.shell.search(path, rgArguments) : newest;
  if (outcome.kind === "failed" && outcome.code === "not-found") return { kind: "no-ripgrep" };
  const ran = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
  if (outcome.kind !== "completed" && ran === null) return { kind: "ended", result: endingError(outcome, "the search") };
  if (ran?.kind !== "exec") return { kind: "ended", result: trustedError("Failed: the sandbox answered with something else.") };
  const unread = unreadableFiles(ran.stderr.text, path);
  const isBroken = ran.exitCode !== 0 && ran.exitCode !== 1 && unread === null && outcome.kind === "completed";
  if (isBroken && ran.stdout.totalBytes === 0) return { kind: "ended", result: untrustedError(`The search failed: ${ran.stderr.text.slice(0, 2000)}`) };
  const cut = ran.stdout.cutBytes > 0 ? `\n[${ran.stdout.cutBytes} bytes of the search's output were cut; narrow it]` : "";
  return {
    kind: "found",
    stdout: ran.stdout,
    skipped: unread === null || unread === 0 ? "" : `\n[Skipped, because they cannot be read: ${unread}]`,
    ending: `${cut}${outcome.kind === "completed" ? "" : `\n[${describeEnding(outcome, "the search")}]`}`,
  };
}

/** Before its version 12 it takes the option for a mistake, and looks at nothing. */
function isTooOld(outcome: Outcome): boolean {
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec") return false;
  const { exitCode, stdout, stderr } = outcome.result;
  return exitCode === 2 && stdout.totalBytes === 0 && stderr.text.includes(ANYWHERE);
}

/**
 * How many files ripgrep could not open: it ends with 2 for those as for a fault, though a masked file below the path
 * is none. Null when it says anything else, or could not open the path itself.
 */
function unreadableFiles(stderr: string, path: string): number | null {
  const lines = stderr.split("\n").filter((line) => line !== "");
  const isRoot = (line: string) => line.replace(/^rg: /u, "").startsWith(`${path}: `);
  return lines.every((line) => / \(os error \d+\)$/u.test(line) && !isRoot(line)) ? lines.length : null;
}
