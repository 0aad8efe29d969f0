import { IMAGE_TYPES, type ContentPart, type ImagePart } from "../../tools/contract/tool.ts";

/** Characters of base64: 3.75 MB of image, which every provider takes. */
const MAX_CHARACTERS = 5_000_000;
const MAX_CHARACTERS_TOGETHER = 10_000_000;
const MAX_IMAGES = 8;

/** What each type begins with, in base64. */
const BEGINNINGS: Readonly<Record<ImagePart["mediaType"], RegExp>> = {
  "image/png": /^iVBORw0KGgo/u,
  "image/jpeg": /^\/9j\//u,
  "image/gif": /^R0lGOD/u,
  "image/webp": /^UklGR/u,
};

/** The same content with images that a model may be sent: of a known type, whole base64, not too many and not too large. In place of another stands why. */
export function withBoundedImages(content: readonly ContentPart[]): readonly ContentPart[] {
  let count = 0;
  let characters = 0;
  return content.map((part) => {
    if (part.kind !== "image") return part;
    count += 1;
    characters += part.data.length;
    const problem =
      count > MAX_IMAGES
        ? `a result has at most ${MAX_IMAGES}`
        : (problemOf(part) ?? (characters > MAX_CHARACTERS_TOGETHER ? "together they are too large" : null));
    if (problem === null) return { kind: "image", mediaType: part.mediaType, data: part.data };
    characters -= part.data.length;
    return { kind: "text", text: `[warder left an image out: ${problem}]` };
  });
}

function problemOf({ mediaType, data }: ImagePart): string | null {
  if (!IMAGE_TYPES.includes(mediaType)) return `its type is none of ${IMAGE_TYPES.join(", ")}`;
  if (data.length > MAX_CHARACTERS) return "it is larger than 3.75 MB";
  if (!BEGINNINGS[mediaType].test(data) || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data)) return `it is no ${mediaType}`;
  return null;
}
