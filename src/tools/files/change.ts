import { showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import type { ToolContext, ToolRequest, ToolResult } from "../contract/tool.ts";

/** What changing a file asks for: what is there is looked at first. */
export function changeRequests(path: string): readonly ToolRequest[] {
  return [
    { kind: "read", path, isRecursive: false },
    { kind: "write", path },
  ];
}

/** The new content of a file. `expected`: the sha256 of what is there now, null if nothing is. `diff`: what the model is shown. */
export type FileChange = {
  readonly path: string;
  readonly content: string;
  readonly expected: string | null;
  readonly diff: string;
  /** How it went, by what was done to which file: `Edited src/a.ts (2 replaced)`. */
  readonly done: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

/** Writes the file, remembers what it is now, and shows the lines that changed. */
export async function landChange(context: ToolContext, doing: string, change: FileChange): Promise<ToolResult> {
  const { path, content, expected } = change;
  const outcome = await context.handles.files.write(path, content, expected);
  if (outcome.kind !== "completed") return endingError(outcome, `${doing} ${showPath(path, context)}`);
  if (outcome.result.kind !== "write-file") return trustedError("Failed: the sandbox answered with something else.");
  const { sha256 } = outcome.result;
  context.seen.set(path, sha256);
  return untrustedText(`${change.done}.\n${change.diff}`, { sha256, ...change.details });
}
