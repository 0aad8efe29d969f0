/** Whether a text is an image's content digest. */
export function isImageDigest(image: string): boolean {
  return /^sha256:[0-9a-f]{64}$/u.test(image);
}

/** Why a text cannot name an image, or null. A registry's reference (`node:24`) cannot: the registry decides what it means, and may change it. */
export function imageFault(image: string): string | null {
  if (isImageDigest(image) || /^[a-z][a-z0-9-]{0,63}$/u.test(image)) return null;
  return "it is neither a digest (`sha256:` and 64 digits) nor a name of lower-case letters, digits and dashes that `warder image add` prepared";
}
