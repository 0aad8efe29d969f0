import { closeSync, copyFileSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Label, readLabels } from "../../policy/label.ts";
import { sha256 } from "../../base/digest.ts";
import type { ArtifactPage } from "../../tools/contract/tool.ts";

/** Where the whole of a run's long results lies. */
export type ArtifactPlace = { readonly artifacts: string; readonly runId: string };

const ID = /^[0-9a-f]{16}$/u;
const MAX_PAGE = 256 * 1024;

/** Keeps a text and gives its name; null where the file system does not take it: the call has happened, and its outcome is recorded all the same. */
export function keepArtifact(
  { artifacts, runId }: ArtifactPlace,
  callId: string,
  { text, labels }: { readonly text: string; readonly labels: readonly Label[] },
): string | null {
  // The call id is a model's words: its digest names the file.
  const id = sha256(callId).slice(0, 16);
  try {
    mkdirSync(join(artifacts, runId), { recursive: true, mode: 0o700 });
    writeFileSync(join(artifacts, runId, `${id}.labels.json`), JSON.stringify(labels), { mode: 0o600 });
    writeFileSync(join(artifacts, runId, `${id}.txt`), text, { mode: 0o600 });
    return id;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Gives another run the artifacts that a conversation names. What is not there, or does not fit on the disk, it has not. */
export function copyArtifacts(artifacts: string, { from, to, ids }: { readonly from: string; readonly to: string; readonly ids: readonly string[] }): void {
  for (const id of ids.filter((each) => ID.test(each)))
    for (const name of [`${id}.labels.json`, `${id}.txt`])
      try {
        mkdirSync(join(artifacts, to), { recursive: true, mode: 0o700 });
        copyFileSync(join(artifacts, from, name), join(artifacts, to, name));
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
      }
}

/** A page of an artifact of this run, from a byte on; whole characters. Null when there is none. */
export function readArtifact({ artifacts, runId }: ArtifactPlace, id: string, offset: number, length: number): ArtifactPage | null {
  if (!ID.test(id)) return null;
  let file: number;
  try {
    file = openSync(join(artifacts, runId, `${id}.txt`), "r");
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, MAX_PAGE, size - offset)));
    const read = readSync(file, bytes, 0, bytes.length, offset);
    const from = wholeFrom(bytes);
    const until = offset + read < size ? wholeUntil(bytes, read) : read;
    return {
      text: bytes.toString("utf8", from, Math.max(from, until)),
      from: offset + from,
      next: offset + Math.max(from, until),
      total: size,
      labels: labelsOf({ artifacts, runId }, id),
    };
  } finally {
    closeSync(file);
  }
}

/** What is not there or cannot be read says nothing, so it counts as both. */
function labelsOf({ artifacts, runId }: ArtifactPlace, id: string): readonly Label[] {
  const unknown: Label = { trust: "untrusted", isSensitive: true, source: `artifact ${id}, whose labels were not kept`, call: "unknown", run: runId };
  try {
    return readLabels(JSON.parse(readFileSync(join(artifacts, runId, `${id}.labels.json`), "utf8"))) ?? [unknown];
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return [unknown];
    throw error;
  }
}

const isContinuation = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80;

function wholeFrom(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && at < bytes.length && isContinuation(bytes[at])) at += 1;
  return at;
}

// A character that goes on behind the page belongs to the next.
function wholeUntil(bytes: Buffer, length: number): number {
  let start = length - 1;
  while (start > 0 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + size > length ? start : length;
}
