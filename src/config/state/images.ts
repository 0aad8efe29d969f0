import { join } from "node:path";
import { z } from "zod";
import { readStateRecord, writeStateRecord } from "./record.ts";

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/u);

const imageSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u),
  /** The engine's content digest. */
  image: digest,
  /** The digest of the image that it was made on. */
  base: digest,
  made: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("directory"), path: z.string() }),
    z.strictObject({
      kind: z.literal("command"),
      workspace: z.string(),
      command: z.string(),
      hosts: z.array(z.string()),
      /** What was kept, as `PATH:TARGET`: relative to the workspace, and absolute in the image. */
      kept: z.array(z.string()),
    }),
    z.strictObject({ kind: z.literal("browser") }),
  ]),
  by: z.string(),
  preparedAt: z.string(),
});

const registrySchema = z.strictObject({ version: z.literal(1), images: z.array(imageSchema) });

/** An image that a person prepared on this machine. */
export type PreparedImage = Readonly<z.output<typeof imageSchema>>;

/** The images of `images.json` in the state directory, by name. Throws `bad-configuration` for a file that cannot be understood. */
export function readImages(stateDirectory: string): readonly PreparedImage[] {
  const words = { of: "images", again: "prepare your images anew" };
  return readStateRecord(registryPath(stateDirectory), registrySchema, words)?.images ?? [];
}

/** Writes them whole or not at all. Two processes must not do it at once (`Store.exclusively`). */
export function writeImages(stateDirectory: string, images: readonly PreparedImage[]): void {
  const sorted = images.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  writeStateRecord(registryPath(stateDirectory), { version: 1, images: sorted });
}

const registryPath = (stateDirectory: string): string => join(stateDirectory, "images.json");

/** Looks up content digests by name, for a run that starts now; null for a name that nobody prepared. */
export function imagesByName(stateDirectory: string): (name: string) => string | null {
  return (name) => readImages(stateDirectory).find((image) => image.name === name)?.image ?? null;
}

/** The image that has a browser; null where nobody prepared one. */
export function browserImage(stateDirectory: string): PreparedImage | null {
  return readImages(stateDirectory).find(({ made }) => made.kind === "browser") ?? null;
}
