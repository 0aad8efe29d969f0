import { makeVisible, makeVisibleLine, visibleJson } from "../base/text.ts";
import { IMAGE_TYPES, type ContentPart, type ToolResult } from "../tools/contract/tool.ts";
import type { CallAnswer } from "./connection.ts";

const MAX_PARTS = 200;
/** What is more than a result may have is cut, and kept nowhere: an artifact of some megabytes has an end, too. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_NAME = 200;

/** A server's answer as a tool's result: data from outside, whatever it says of itself. Total on any values. */
export function resultOf({ content, structuredContent, isError }: CallAnswer): ToolResult {
  const parts: ContentPart[] = [];
  let left = MAX_CHARACTERS;
  for (const each of content.slice(0, MAX_PARTS)) {
    const part = partOf(each);
    if (part.kind !== "text") parts.push(part);
    else if (left > 0) parts.push({ kind: "text", text: part.text.slice(0, left) });
    if (part.kind === "text") left -= part.text.length;
  }
  if (left < 0) parts.push({ kind: "text", text: "[warder: the rest of the answer was left out]" });
  if (content.length > MAX_PARTS) parts.push({ kind: "text", text: `[warder: ${String(content.length - MAX_PARTS)} more parts were left out]` });
  // It says the same as the text, where there is any.
  if (content.length === 0 && structuredContent !== undefined) parts.push({ kind: "text", text: visibleJson(structuredContent).slice(0, MAX_CHARACTERS) });
  if (parts.length === 0) parts.push({ kind: "text", text: "[warder: the answer is empty]" });
  return { content: parts, isError, label: "untrusted" };
}

type Fields = Readonly<Record<string, unknown>>;

function partOf(part: unknown): ContentPart {
  const fields = fieldsOf(part);
  switch (fields["type"]) {
    case "text":
      return said(typeof fields["text"] === "string" ? fields["text"].toWellFormed() : "");
    case "image":
      return imageOf(fields) ?? said(`[an image (${shown(fields["mimeType"])}) that cannot be shown]`);
    case "audio":
      return said(`[sound (${shown(fields["mimeType"])}) that cannot be heard]`);
    case "resource_link":
      return said(`[a link: ${shown(fields["name"])} at ${shown(fields["uri"])}]`);
    case "resource":
      return resourceOf(fieldsOf(fields["resource"]));
    default:
      return said(`[a part of a kind that is not known: ${shown(fields["type"])}]`);
  }
}

function imageOf({ mimeType, data }: Fields): ContentPart | null {
  const mediaType = IMAGE_TYPES.find((type) => type === mimeType);
  return mediaType === undefined || typeof data !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data) ? null : { kind: "image", mediaType, data };
}

function resourceOf({ uri, text, mimeType, blob }: Fields): ContentPart {
  if (typeof text === "string") return said(`[resource ${shown(uri)}]\n${text.toWellFormed()}`);
  const length = typeof blob === "string" ? Math.floor((blob.length * 3) / 4) : 0;
  return said(`[resource ${shown(uri)}: ${String(length)} bytes of ${shown(mimeType)}, not shown]`);
}

const said = (text: string): Extract<ContentPart, { kind: "text" }> => ({ kind: "text", text: makeVisible(text) });
const shown = (value: unknown): string => (typeof value === "string" ? makeVisibleLine(value.slice(0, MAX_NAME)) : "nothing");
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
