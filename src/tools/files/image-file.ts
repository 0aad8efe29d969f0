import type { ImagePart, ImageType } from "../contract/tool.ts";

const BEGINNINGS: readonly (readonly [ImageType, string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

/** The bytes as an image, by what they begin with and never by the file's name; null for anything else. */
export function imageOf(bytes: Uint8Array): ImagePart | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const mediaType = BEGINNINGS.find(([, beginning]) => head.startsWith(beginning))?.[0] ?? (/^RIFF.{4}WEBP$/su.test(head) ? "image/webp" : null);
  return mediaType === null ? null : { kind: "image", mediaType, data: Buffer.from(bytes).toString("base64") };
}
