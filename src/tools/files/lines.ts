import { countLines, linesFrom, startOfLine, takeLines } from "./text-file.ts";

export type LineSelection = { readonly offset: number; readonly limit: number | undefined; readonly maxBytes: number };

/** The chosen lines as far as `maxBytes` carry, a summary ("lines 3-9 of 40"), and how to go on ("" at the end). */
export function selectLines(text: string, selection: LineSelection): { readonly summary: string; readonly text: string; readonly continuation: string } {
  const count = countLines(text);
  if (count === 0) return { summary: "empty file", text: "", continuation: "" };
  if (selection.offset > count) return { summary: `no line ${selection.offset}, the file has ${count}`, text: "", continuation: "" };
  const start = startOfLine(text, selection.offset - 1);
  const taken: string[] = [];
  let bytes = 0;
  for (const line of linesFrom(text, start)) {
    bytes += Buffer.byteLength(line);
    if (bytes > selection.maxBytes || taken.length >= (selection.limit ?? count)) break;
    taken.push(line);
  }
  if (taken.length === 0) {
    // One line that is longer than everything we return: its head, on a character boundary.
    const head = Buffer.from(takeLines(text, 1, start)[0] ?? "")
      .subarray(0, selection.maxBytes)
      .toString("utf8")
      .replace(/\uFFFD+$/u, "");
    taken.push(`${head}\n[… the rest of this line is cut …]\n`);
  }
  const last = selection.offset + taken.length - 1;
  const summary = `lines ${selection.offset}-${last} of ${count}`;
  const continuation = last < count ? `\n[${count - last} more lines; continue with offset ${last + 1}]` : "";
  return { summary, text: taken.join(""), continuation };
}
