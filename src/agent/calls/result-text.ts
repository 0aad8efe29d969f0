import type { Image } from "../../providers/contract/message.ts";
import { resultText, type ToolResult } from "../../gate/gate.ts";

/**
 * A result as the model reads it. The first line is always Warder's own and says whose words follow, so that text
 * from a file or a program cannot pass itself off as a ruling: only the first line counts.
 */
export function renderResult(result: ToolResult, warning: string): string {
  const body = resultText(result);
  const source = result.label === "trusted" ? "warder" : "untrusted output";
  const header = `[${source}${result.isError ? ", failed" : ""}]`;
  return `${header}${warning === "" ? "" : ` [warder: ${warning}]`}\n${body}`;
}

/** An answer in Warder's own words to a call that did not run. */
export function ownWords(text: string, reason?: string): ToolResult {
  return { content: [{ kind: "text", text }], isError: true, label: "trusted", ...(reason === undefined ? {} : { details: { reason } }) };
}

export function imagesOf({ content }: ToolResult): readonly Image[] {
  return content.flatMap((part) => (part.kind === "image" ? [{ mediaType: part.mediaType, base64: part.data }] : []));
}
