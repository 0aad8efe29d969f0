import type { Label } from "../../policy/label.ts";
import { redactTokens, type Redact } from "../../audit/entries/redact.ts";
import { resultText, type ContentPart, type ToolResult } from "../../tools/contract/tool.ts";
import { type ArtifactPlace, keepArtifact } from "../kept/artifacts.ts";
import { withBoundedImages } from "./bounded-images.ts";

/** The most that one result may carry to a model: a conversation holds not much more. */
const MAX_BYTES = 400_000;
const HEAD_SHARE = 0.75;

/** Where the whole of a result that was cut is kept. */
export type Spool = ArtifactPlace & {
  readonly callId: string;
  /** Longer results are cut once newer ones have come: the whole is kept. */
  readonly maxResultChars: number;
  /** Takes the run's known secrets out: they never reach the model. */
  readonly redact: Redact;
};

/**
 * A result as it goes to the model: tokens and the run's own secrets redacted, at most 400 KB; the whole of what was cut lies in the
 * state directory, and the text says so. `labelled` says where it came from, given whether a secret was found in it; where that is untrusted, no tool can
 * call it trusted.
 */
export function boundedResult(plain: ToolResult, spool: Spool, labelled: (hasSecret: boolean) => readonly Label[]): ToolResult {
  const content = withBoundedImages(plain.content).map((part) => redacted(part, (text) => redactTokens(spool.redact(text))));
  const labels = labelled(content.some(hasMark));
  const label = labels.some(({ trust }) => trust === "untrusted") ? "untrusted" : plain.label;
  const result: ToolResult = labels.length === 0 ? withoutLabels(plain) : { ...plain, labels };
  const images = content.filter((part) => part.kind === "image");
  const bytes = sizeOf(content);
  if (bytes <= Math.min(MAX_BYTES, spool.maxResultChars)) return { ...result, content, label };
  const whole = resultText({ content });
  if (bytes <= MAX_BYTES && whole.length <= spool.maxResultChars) return { ...result, content, label };
  const artifact = keepArtifact(spool, spool.callId, { text: whole, labels });
  const details = { ...result.details, artifact };
  if (bytes <= MAX_BYTES) return { ...result, content, label, details };
  const cut = cutMiddle(whole, MAX_BYTES - 500);
  const where = artifact === null ? "the whole could not be kept" : `read_artifact has the whole: ${artifact}`;
  const note = `[${cut.cutBytes} of ${Buffer.byteLength(whole)} bytes were cut from the middle; ${where}]`;
  return { ...result, label, content: [{ kind: "text", text: `${cut.head}\n${note}\n${cut.tail}` }, ...images], details };
}

/** What stands in place of a secret: put there here, or before by the session. */
const MARK = "[redacted: ";

function hasMark(part: ContentPart): boolean {
  return part.kind !== "image" && resultText({ content: [part] }).includes(MARK);
}

function withoutLabels({ labels: _labels, ...rest }: ToolResult): ToolResult {
  return rest;
}

function redacted(part: ContentPart, redact: Redact): ContentPart {
  if (part.kind === "image") return part;
  if (part.kind === "text") return { kind: "text", text: redact(part.text) };
  const text = JSON.stringify(part.value) ?? "null";
  const clean = redact(text);
  return clean === text ? part : { kind: "text", text: clean };
}

function sizeOf(content: readonly ContentPart[]): number {
  return content.reduce((sum, part) => sum + Buffer.byteLength(resultText({ content: [part] })), 0);
}

function cutMiddle(text: string, maxBytes: number): { readonly head: string; readonly tail: string; readonly cutBytes: number } {
  const bytes = Buffer.from(text);
  const headEnd = boundary(bytes, Math.floor(maxBytes * HEAD_SHARE));
  const tailStart = boundary(bytes, bytes.length - Math.floor(maxBytes * (1 - HEAD_SHARE)));
  return { head: bytes.toString("utf8", 0, headEnd), tail: bytes.toString("utf8", tailStart), cutBytes: tailStart - headEnd };
}

// UTF-8 continuation bytes are 10xxxxxx: go back to where a character begins.
function boundary(bytes: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
