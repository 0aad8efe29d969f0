/** Whether a text is an image's content digest, which says what is in it; a name says it only together with who prepared it. */
export function isImageDigest(image: string): boolean {
  return /^sha256:[0-9a-f]{64}$/u.test(image);
}

/** Why a text cannot stand for an image, or null. A registry's reference (`node:24`) is none: what it means is decided elsewhere, and later. */
export function imageFault(image: string): string | null {
  if (isImageDigest(image) || /^[a-z][a-z0-9-]{0,63}$/u.test(image)) return null;
  return "it is neither a digest (`sha256:` and 64 digits) nor a name of lower-case letters, digits and dashes that `warder image add` prepared";
}
