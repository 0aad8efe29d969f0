import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve, sep } from "node:path";
import type { NamedImage } from "../../agent/inbox.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { imageOf } from "../../tools/files/image-file.ts";

/** Every provider takes so many bytes. */
const MAX_BYTES = 3_750_000;
const MAX_BYTES_TOGETHER = 7_500_000;
/** With one message. */
const MAX_IMAGES = 8;

export type GivenImages = {
  readonly images: readonly NamedImage[];
  /** Why one of them does not go along, a sentence each. */ readonly problems: readonly string[];
};

/** Where a person means a file that they name: from the workspace on, or in their home. */
export function pathOfName(name: string, workspace: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : resolve(workspace, name);
}

/**
 * Reads the images that a person names, to be sent to a model. A link in the workspace that leads outside of it is not followed: somebody else may have made it.
 */
export function readImages(names: readonly string[], workspace: string): GivenImages {
  return taken([...new Set(names)].map((name) => ({ name: makeVisibleLine(name), read: () => readImage(pathOfName(name, workspace), workspace) })));
}

/** Takes images that a person gave as they are, in base64. What each is, its first bytes say. */
export function takeImages(given: readonly Pick<NamedImage, "name" | "base64">[]): GivenImages {
  return taken(given.map(({ name, base64 }) => ({ name, read: () => decodedImage(base64) })));
}

function taken(given: readonly { readonly name: string; readonly read: () => ReadImage | string }[]): GivenImages {
  const images: NamedImage[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const { name, read: readOne } of given) {
    const read = images.length === MAX_IMAGES ? `a message takes at most ${String(MAX_IMAGES)} images.` : readOne();
    if (typeof read === "string") problems.push(`${name} is not sent: ${read}`);
    else if (bytes + read.bytes > MAX_BYTES_TOGETHER) problems.push(`${name} is not sent: the images of a message take at most 7.5 MB together.`);
    else {
      bytes += read.bytes;
      images.push({ name, mediaType: read.mediaType, base64: read.base64 });
    }
  }
  return { images, problems };
}

type ReadImage = Omit<NamedImage, "name"> & { readonly bytes: number };

const TOO_LARGE = "it is larger than 3.75 MB.";

function asImage(content: Buffer): ReadImage | string {
  const image = imageOf(content);
  return image === null ? "it is no PNG, JPEG, GIF or WebP image." : { mediaType: image.mediaType, base64: image.data, bytes: content.length };
}

function decodedImage(base64: string): ReadImage | string {
  if (Buffer.byteLength(base64, "base64") > MAX_BYTES) return TOO_LARGE;
  return asImage(Buffer.from(base64, "base64"));
}

function readImage(path: string, workspace: string): ReadImage | string {
  let file: number | null = null;
  try {
    const real = realpathSync(path);
    if (isBelow(path, workspace) && !isBelow(real, realpathSync(workspace))) return "a link in the workspace leads outside of it. Name the file itself.";
    // What is no file is not waited for.
    file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile()) return "it is no file.";
    if (size > MAX_BYTES) return TOO_LARGE;
    // What grows meanwhile, or has no size, is read no further.
    const content = Buffer.alloc(size);
    return asImage(content.subarray(0, readSync(file, content, 0, size, 0)));
  } catch (error) {
    if (error instanceof Error && "code" in error) return error.code === "ENOENT" ? "there is no such file." : `it cannot be read (${String(error.code)}).`;
    throw error;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
