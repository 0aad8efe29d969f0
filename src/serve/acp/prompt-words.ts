import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import type { Words } from "../../agent/inbox.ts";
import { takeImages } from "../../app/conversation/images.ts";

/** Far more than a person types, and less than a model takes. */
const MAX_PROMPT_CHARACTERS = 200_000;

/**
 * What a person said, as a run is asked with it. A file that they mention is named, and nothing of it is taken along. An image goes along, and its name stands where
 * it stood.
 */
export function wordsOf(blocks: readonly ContentBlock[]): Words {
  const given: { readonly name: string; readonly base64: string }[] = [];
  const parts = blocks.map((block) => {
    if (block.type !== "image") return textOf(block);
    const name = `image ${String(given.length + 1)}`;
    given.push({ name, base64: block.data });
    return `[${name}]`;
  });
  const text = parts.join("").toWellFormed();
  if (text.trim() === "") throw RequestError.invalidParams(undefined, "the prompt is empty");
  if (text.length > MAX_PROMPT_CHARACTERS) throw RequestError.invalidParams(undefined, `the prompt is longer than ${String(MAX_PROMPT_CHARACTERS)} characters`);
  const { images, problems } = takeImages(given);
  if (problems.length > 0) throw RequestError.invalidParams(undefined, problems.join("\n"));
  return { text, ...(images.length > 0 && { images }) };
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return pathOf(block.uri);
  throw RequestError.invalidParams(undefined, `a prompt of Warder has text, links to files and images, and no ${block.type}`);
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
