import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { type Label, readLabels } from "../../policy/label.ts";
import type { Store } from "../../store/store.ts";
import type { HandedChange } from "../../tools/contract/tool.ts";

/** What a sub-agent left that worked in an overlay of its own, with the labels of all that it had been given. */
export type Handed = { readonly changes: readonly HandedChange[]; readonly labels: readonly Label[] };

/** How much one sub-agent hands over. */
export const HANDED_LIMITS = { files: 1_000, fileBytes: 10 * 1024 ** 2, bytes: 64 * 1024 ** 2 } as const;

const directoryOf = (artifacts: string, runId: string): string => join(artifacts, runId, "handed");
/** A path is a sub-agent's words: its digest names the file. */
const nameOf = (path: string): string => sha256(path).slice(0, 32);

/** Keeps what a file was, for `keepHanded` to name. Throws what the file system throws. */
export function keepHandedContent(artifacts: string, runId: string, path: string, content: Uint8Array): void {
  const directory = directoryOf(artifacts, runId);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, nameOf(path)), content, { mode: 0o600 });
}

/** Keeps the list, once all that it names is there: whole or not at all. */
export function keepHanded(artifacts: string, runId: string, handed: Handed): void {
  const directory = directoryOf(artifacts, runId);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, "changes.new"), JSON.stringify(handed), { mode: 0o600 });
  renameSync(join(directory, "changes.new"), join(directory, "changes.json"));
}

/** Null: the run has handed over nothing. Throws `broken-invariant` for a list that cannot be understood. */
export function readHanded(artifacts: string, runId: string): Handed | null {
  const file = join(directoryOf(artifacts, runId), "changes.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const { changes, labels } = JSON.parse(text) as { readonly changes: readonly HandedChange[]; readonly labels: unknown };
  const read = readLabels(labels);
  if (!Array.isArray(changes) || read === null) throw new AgentError("broken-invariant", `${file} is no list of changes.`);
  return { changes, labels: read };
}

/** What a file was when the sub-agent ended; null: that is not kept, or is something else by now. */
export function handedContent(artifacts: string, runId: string, { path, after }: HandedChange): Uint8Array | null {
  if (after === null) return null;
  try {
    const content = readFileSync(join(directoryOf(artifacts, runId), nameOf(path)));
    return sha256(content) === after ? content : null;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** What a sub-agent of a run handed over to it; null: it has none of that name, or that one has handed over nothing. Throws `broken-invariant`. */
export function handedTo(runId: string, agent: string, store: Pick<Store, "runs" | "paths">): Handed | null {
  return store.runs.byId(agent)?.parent === runId ? readHanded(store.paths.artifacts, agent) : null;
}

/** The content as a text; null: it is none. */
export function textOfContent(content: Uint8Array): string | null {
  try {
    return content.includes(0) ? null : new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
