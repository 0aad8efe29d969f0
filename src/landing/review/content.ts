import { isAscii, isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { fill, withFile } from "../../sandbox/workspace/files/content.ts";
import type { Flag } from "./ranks.ts";

/** Files above this are named, not shown: a person does not read them, and comparing takes long. */
export const MAX_SHOWN_BYTES = 1024 * 1024;

/** The whole of a regular file that is short enough to be shown; `bytes` is null of a longer one. */
export type Content = { readonly bytes: Buffer | null; readonly stats: Stats };

/** Null when there is none. */
export function contentOf(root: Layers["upper"], path: string): Content | null {
  return withFile(root, path, (fd, stats) => {
    const { size } = stats;
    if (size > MAX_SHOWN_BYTES) return { bytes: null, stats };
    const buffer = Buffer.allocUnsafe(size + 1);
    const length = fill(fd, buffer);
    return { bytes: length > size ? null : buffer.subarray(0, length), stats };
  });
}

/** Control characters that no text needs; TAB, LF, VT, FF, CR and ESC it may have. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/u;

/** What turns the order of what is shown, takes no room, or looks like a blank and is a letter; not joiners and variation selectors, which emoji and scripts need. */
const HIDDEN =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f\u3164\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?!^)\ufeff/gu;

/** Whether all of it can be shown as text. */
export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !CONTROL.test(bytes.toString("latin1"));
}

/** What a person does not see of a file that is written: bytes that are no text, characters that are not shown. `before`: what was there. */
export function contentFlags(after: Pick<Content, "bytes">, before: () => Pick<Content, "bytes"> | null): readonly Flag[] {
  if (after.bytes === null) return [{ kind: "no-text", reason: "It is too large to be shown, and nobody sees what it holds." }];
  if (!isText(after.bytes)) return [{ kind: "no-text", reason: "It holds bytes that no text has: not all of it can be shown as it is." }];
  if (isAscii(after.bytes)) return [];
  const count = hiddenIn(after.bytes);
  if (count === 0 || count <= hiddenIn(before()?.bytes ?? Buffer.alloc(0))) return [];
  return [{ kind: "hidden-text", reason: "It holds characters that are not shown, or turn what is: a compiler reads another text than a person." }];
}

function hiddenIn(bytes: Buffer): number {
  return isUtf8(bytes) ? (bytes.toString().match(HIDDEN)?.length ?? 0) : 0;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** What the bytes of a text are, and its lines do not show. Null: nothing is there. */
export function textNotes(before: Buffer | null, after: Buffer | null): readonly string[] {
  if (after === null) return [];
  const notes: string[] = [];
  const [had, has] = [before, after].map((bytes) => bytes !== null && bytes.subarray(0, 3).equals(BOM));
  if (had !== has) notes.push(`a byte order mark ${has === true ? "at the beginning" : "less at the beginning"}`);
  const [were, are] = [before === null ? "LF" : lineEndsOf(before), lineEndsOf(after)];
  if (were !== are && are !== null && (were !== null || are !== "LF")) notes.push(`line ends ${before === null || were === null ? are : `${were} → ${are}`}`);
  const [ended, ends] = [before, after].map((bytes) => bytes === null || bytes.length === 0 || bytes.at(-1) === 0x0a);
  if (ended !== ends) notes.push(ends === true ? "a newline more at the end" : "no newline at the end");
  return notes;
}

function lineEndsOf(bytes: Buffer): string | null {
  const text = bytes.toString("latin1");
  const kinds = [
    ["CRLF", /\r\n/u],
    ["LF", /(?<!\r)\n/u],
    ["CR", /\r(?!\n)/u],
  ] as const;
  const found = kinds.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
  return found.length === 0 ? null : found.join(" and ");
}
