import type { Image, Message } from "../contract/message.ts";

/** Images of one request, and the characters of all of them in base64: what the strictest of the providers takes, with room for the text. */
const MAX_IMAGES = 20;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Of one image: 5 MB of bytes, which is what Anthropic takes. */
const MAX_IMAGE_CHARACTERS = Math.floor((5_000_000 * 4) / 3);

const LEFT_OUT = "[warder: an image is left out here]";

/** The conversation with the newest images that fit into a request. Where one is missing the text says so. The same conversation gives the same bytes. */
export function boundImages(messages: readonly Message[]): readonly Message[] {
  let count = 0;
  let characters = 0;
  const take = <T extends { readonly text: string; readonly images?: readonly Image[] }>(part: T): T => {
    if (part.images === undefined) return part;
    const kept = part.images.filter(({ base64 }) => {
      if (base64.length > MAX_IMAGE_CHARACTERS || count === MAX_IMAGES || characters + base64.length > MAX_CHARACTERS) return false;
      count += 1;
      characters += base64.length;
      return true;
    });
    const missing = part.images.length - kept.length;
    return missing === 0 ? part : { ...part, images: kept, text: [part.text, ...Array.from({ length: missing }, () => LEFT_OUT)].join("\n") };
  };
  return messages
    .toReversed()
    .map((message): Message => {
      if (message.kind === "user") return take(message);
      return message.kind === "tool" ? { kind: "tool", results: message.results.toReversed().map(take).toReversed() } : message;
    })
    .toReversed();
}
