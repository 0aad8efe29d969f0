import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { sandboxFile } from "../shipped-files.ts";
import type { ListedLayers } from "../workspace/changes/list.ts";

/** What a layer is beside its snapshot before. */
export type LayerState =
  | {
      readonly kind: "empty" | "same" | "changed";
      readonly entries: number;
      /** Of files that the snapshot before has not. */ readonly copied: number;
      readonly bytes: number;
    }
  | { readonly kind: "too-many" | "too-large"; readonly limit: number };

/** A snapshot of a layer: the copy, and what each entry of it was in the layer. */
export type LayerCopy = { readonly tree: string; readonly index: string };

type Compared = {
  readonly upper: string;
  readonly attributes: ListedLayers["attributes"];
  readonly before: LayerCopy | null;
  readonly limits: { readonly entries: number; readonly bytes: number };
  /** No process of the run is there that may still write without leaving a time. */
  readonly isSettled: boolean;
};

/** Looks at a layer, and copies it to `target` (a directory, empty) if that is given. Nothing may write to it meanwhile. Throws `sandbox-unavailable`. */
export async function compareLayer({ upper, attributes, before, limits, isSettled }: Compared, target: LayerCopy | null): Promise<LayerState> {
  const from = before === null ? ["-", "-"] : [before.tree, before.index];
  const to = target === null ? [] : [target.tree, target.index];
  const settled = isSettled ? "settled" : "unsettled";
  const answer = await host("snapshot", upper, attributes, String(limits.entries), String(limits.bytes), settled, ...from, ...to);
  const [kind = "", ...numbers] = answer.trim().split(" ");
  const [first = NaN, copied = NaN, bytes = NaN] = numbers.map(Number);
  if (kind === "too-many" || kind === "too-large") return { kind, limit: kind === "too-many" ? limits.entries : limits.bytes };
  if (kind !== "empty" && kind !== "same" && kind !== "changed") throw new AgentError("broken-invariant", `A layer is in an unknown state (${answer}).`);
  return { kind, entries: first, copied, bytes };
}

/** Makes a layer of such a copy in a directory that is empty. Throws `sandbox-unavailable`, also for a copy that is not whole; what was made by then stays. */
export async function layCopy({ tree, index }: LayerCopy, target: string, attributes: ListedLayers["attributes"]): Promise<void> {
  await host("lay", tree, index, target, attributes);
}

async function host(...words: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(sandboxFile("build/warder-host"), [...words], { env: {} });
    return stdout;
  } catch (error) {
    const complaint = ((error as { stderr?: string }).stderr ?? "").trim() || (error as Error).message;
    throw new AgentError("sandbox-unavailable", makeVisibleLine(complaint.replace(/^warder-host: /u, "")));
  }
}
