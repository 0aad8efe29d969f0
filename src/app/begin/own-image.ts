import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { readArchive } from "../../sandbox/image/archive.ts";
import { enginePlaceIn, type ImageWorkshop, imageWorkshop } from "../../sandbox/image/workshop.ts";
import { withRecords } from "../records/records.ts";
import { runShippedScript } from "../setup/shipped-script.ts";

/** Warder's own sandbox image on this machine. */
export type OwnImage = { /** `warder-sandbox:…`, the digits of what goes into it. */ readonly tag: string; /** `sha256:…` */ readonly id: string };

type Progress = { readonly signal: AbortSignal; readonly onText: (text: string) => void };

/** The image that is there and recorded; null when setup has something to do. Throws `sandbox-unavailable` when no engine answers. */
export async function ownImageHere(): Promise<OwnImage | null> {
  const workshop = workshopHere();
  const recorded = readRecord(workshop.imageRecord, "image-id");
  const tag = readRecord(workshop.imageRecord, "image-tag");
  // The engine is asked in any case: that none answers is said before anything slow begins.
  const found = await workshop.idOf(recorded ?? "warder-sandbox:none");
  return found === null || found !== recorded || tag !== (await shippedTag()) ? null : { tag, id: found };
}

/** Has the shipped script make the image, or find the one that another account made of the same inputs. Throws `sandbox-unavailable`. */
export async function makeOwnImage({ signal, onText }: Progress): Promise<OwnImage> {
  const { imageRecord } = prepared();
  const { code } = await runShippedScript("build-image.sh", [imageRecord], { signal, onText });
  if (signal.aborted) throw new AgentError("usage", "It was interrupted, and no image was made.", { remedy: "Go on with: warder setup" });
  if (code !== 0)
    throw new AgentError("sandbox-unavailable", "The sandbox image could not be made; the last lines above say why.", {
      remedy: "On a machine that has it: warder setup --save-image FILE. Then here: warder setup --image-file FILE",
    });
  return requireOwn();
}

/**
 * Has the engine load a saved image, and records it. Throws `usage`, before anything is loaded, for an image of other inputs than this Warder's, or of
 * another digest than `expected`.
 */
export async function loadOwnImage(file: string, expected: string | null): Promise<OwnImage> {
  const workshop = prepared();
  const tag = await shippedTag();
  if (!existsSync(file))
    throw new AgentError("usage", `There is no file ${file}.`, { remedy: "Make one on a machine that has the image: warder setup --save-image FILE" });
  const archive = await readArchive(resolve(file));
  if (archive.tags.length !== 1 || archive.tags[0] !== tag)
    throw new AgentError("usage", `${file} holds ${archive.tags.join(", ") || "an image without a name"}, and this Warder wants ${tag}.`, {
      remedy: "Save it with the same version of Warder: warder setup --save-image FILE",
    });
  if (expected !== null && archive.digest !== expected)
    throw new AgentError("usage", `${file} holds ${archive.digest}, not ${expected}. Nothing was loaded.`, {
      remedy: "Copy the file again, or compare the digest.",
    });
  await workshop.load(resolve(file));
  const id = await workshop.idOf(tag);
  if (id === null) throw new AgentError("sandbox-unavailable", `The engine does not have ${tag} after it loaded ${file}.`);
  record(workshop, { tag, id });
  return { tag, id };
}

/** Writes the image into a new file, for a machine that cannot make it. Returns what the file holds. */
export async function saveOwnImage(file: string): Promise<OwnImage & { readonly digest: string }> {
  const image = await ownImageHere();
  if (image === null) throw new AgentError("usage", "There is no image to save yet.", { remedy: "Make it first: warder setup" });
  if (existsSync(file)) throw new AgentError("usage", `${file} is there already.`, { remedy: "Name a new file." });
  await workshopHere().save(image.tag, resolve(file));
  return { ...image, digest: (await readArchive(resolve(file))).digest };
}

const workshopHere = (): ImageWorkshop => imageWorkshop({ ...enginePlaceIn(process.env), stateDirectory: stateDirectory(process.env) });

/** The workshop, with the directory there that the record goes into. */
function prepared(): ImageWorkshop {
  withRecords(() => undefined);
  const workshop = workshopHere();
  mkdirSync(workshop.imageRecord, { recursive: true });
  return workshop;
}

function requireOwn(): OwnImage {
  const workshop = workshopHere();
  return { tag: readRecord(workshop.imageRecord, "image-tag") ?? "", id: workshop.own() };
}

function readRecord(directory: string, name: "image-id" | "image-tag"): string | null {
  const path = join(directory, name);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

function record({ imageRecord }: ImageWorkshop, { tag, id }: OwnImage): void {
  for (const [name, text] of [
    ["image-tag", tag],
    ["image-id", id],
  ] as const) {
    const beside = join(imageRecord, `.${name}.${String(process.pid)}`);
    writeFileSync(beside, `${text}\n`);
    renameSync(beside, join(imageRecord, name));
  }
}

async function shippedTag(): Promise<string> {
  let text = "";
  const { code } = await runShippedScript("build-image.sh", ["--tag"], { signal: new AbortController().signal, onText: (part) => (text += part) });
  if (code !== 0) throw new AgentError("sandbox-unavailable", "sandbox/build-image.sh does not say what the image is called.");
  return text.trim();
}
