import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AgentError } from "../base/errors.ts";
import { makeDirectories } from "../store/state-files.ts";

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
  ]),
  by: z.string(),
  preparedAt: z.string(),
});

const registrySchema = z.strictObject({ version: z.literal(1), images: z.array(imageSchema) });

/** An image that a person prepared on this machine. */
export type PreparedImage = Readonly<z.output<typeof imageSchema>>;

/** The images of `images.json` in the state directory, by name. Throws `bad-configuration` for a file that cannot be understood. */
export function readImages(stateDirectory: string): readonly PreparedImage[] {
  const path = registryPath(stateDirectory);
  if (!existsSync(path)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new AgentError("bad-configuration", `${path} cannot be read. Remove it and prepare your images anew.`, { cause: error });
  }
  const parsed = registrySchema.safeParse(value);
  if (!parsed.success) throw new AgentError("bad-configuration", `${path} is not a record of images. Remove it and prepare your images anew.`);
  return parsed.data.images;
}

/** Writes them whole or not at all. Two processes must not do it at once (`Store.exclusively`). */
export function writeImages(stateDirectory: string, images: readonly PreparedImage[]): void {
  makeDirectories(stateDirectory);
  const path = registryPath(stateDirectory);
  const sorted = images.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  writeFileSync(`${path}.new`, `${JSON.stringify({ version: 1, images: sorted }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

const registryPath = (stateDirectory: string): string => join(stateDirectory, "images.json");

/** Looks up content digests by name, for a run that starts now; null for a name that nobody prepared. */
export function imagesByName(stateDirectory: string): (name: string) => string | null {
  return (name) => readImages(stateDirectory).find((image) => image.name === name)?.image ?? null;
}
