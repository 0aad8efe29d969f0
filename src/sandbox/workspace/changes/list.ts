import { execFileSync } from "node:child_process";
import { AgentError } from "../../../base/errors.ts";
import { sandboxFile } from "../../shipped-files.ts";
import type { Change } from "../../runtime.ts";

/** Longest list of changes that is understood; a run that makes more files than fit is discarded as a whole. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;

const FIELDS = 9;
const KINDS = new Set(["added", "modified", "mode", "deleted"]);
const TYPES = new Set(["file", "directory", "link", "other"]);

/** Where an overlay's layers lie, and what is needed to understand them. */
export type ListedLayers = {
  readonly upper: string;
  readonly lower: string;
  /** The namespace of the attributes that mark opaque directories; what stands in the other one, a command may have written. */
  readonly attributes: "user" | "trusted";
  /** The layer between the two that hides what was forbidden; null: there is none. */
  readonly mask: string | null;
};

/**
 * What an overlay's upper directory changes of its lower one, as far as the run saw that, sorted by path (`warder-host changes`).
 * Throws `usage` when it is longer than `maxBytes`, and `broken-invariant` when it cannot be made or understood.
 */
export function listChanges({ upper, lower, attributes, mask }: ListedLayers, maxBytes = MAX_LIST_BYTES): readonly Change[] {
  let output: Buffer;
  try {
    output = execFileSync(sandboxFile("build/warder-host"), ["changes", upper, lower, attributes, ...(mask === null ? [] : [mask])], {
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: maxBytes,
    });
  } catch (error) {
    if (error instanceof AgentError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOBUFS")
      throw new AgentError(
        "usage",
        `The run made more changes than can be listed (${String(maxBytes / 1024 ** 2)} MiB of names): none of them can be reviewed or landed. Throw them all away with: warder changes discard RUN`,
      );
    const complaint = String((error as { stderr?: Buffer }).stderr ?? (error as Error).message).trim();
    throw new AgentError("broken-invariant", `The changes of the workspace cannot be listed: ${complaint}`);
  }
  return parseChanges(output);
}

/** Directories of an overlay's upper layer that show nothing of the lower one, looked up when they are first asked for. */
export function opaqueDirectories({ upper, attributes }: ListedLayers): () => ReadonlySet<string> {
  let found: ReadonlySet<string> | null = null;
  const look = (): ReadonlySet<string> => {
    const output = execFileSync(sandboxFile("build/warder-host"), ["opaque", upper, attributes], { env: {}, maxBuffer: MAX_LIST_BYTES });
    return new Set(output.toString().split("\0").slice(0, -1));
  };
  return () => (found ??= look());
}

/** The program's records. Names that are not UTF-8 carry U+FFFD, which apply refuses. */
export function parseChanges(output: Uint8Array): readonly Change[] {
  const fields = new TextDecoder().decode(output).split("\0");
  if (fields.pop() !== "" || fields.length % FIELDS !== 0) throw new AgentError("broken-invariant", "The list of changes is not complete.");
  const changes: Change[] = [];
  for (let at = 0; at < fields.length; at += FIELDS) {
    const [kind = "", type = "", size = "", mode = "", , , , links = "", path = ""] = fields.slice(at, at + FIELDS);
    if (!KINDS.has(kind) || !TYPES.has(type) || path === "")
      throw new AgentError("broken-invariant", `The list of changes has an unknown record (${kind} ${type}).`);
    const change: Change = { path, kind: kind as Change["kind"], type: type as Change["type"], size: Number(size), mode: Number.parseInt(mode, 8) };
    const [names, ...attributes] = links.split(",");
    const isShared = type === "file" && kind !== "deleted" && Number(names) > 1;
    changes.push({ ...change, ...(attributes.length === 0 ? {} : { attributes }), ...(isShared ? { names: Number(names) } : {}) });
  }
  return changes;
}
