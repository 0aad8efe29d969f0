import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";

/** Far more than a person types, and less than a model takes. */
const MAX_PROMPT_CHARACTERS = 200_000;

/** What a person said, as the text that a run is asked with. A file that they mention is named, and nothing of it is taken along. */
export function promptText(blocks: readonly ContentBlock[]): string {
  const text = blocks.map(textOf).join("").toWellFormed();
  if (text.trim() === "") throw RequestError.invalidParams(undefined, "the prompt is empty");
  if (text.length > MAX_PROMPT_CHARACTERS) throw RequestError.invalidParams(undefined, `the prompt is longer than ${String(MAX_PROMPT_CHARACTERS)} characters`);
  return text;
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return pathOf(block.uri);
  throw RequestError.invalidParams(undefined, `a prompt of Warder has text and links to files, and no ${block.type}`);
}

function pathOf(uri: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    return fileURLToPath(uri);
  } catch (error) {
    // A host, or a path with an encoded slash: it is named as it was written.
    if (error instanceof TypeError) return uri;
    throw error;
  }
}
