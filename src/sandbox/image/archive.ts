import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { type Engine, engineError } from "../docker/engine.ts";

/** What an archive of `docker save` says of its one image. */
export type ImageArchive = {
  readonly tags: readonly string[];
  /** The digest of its configuration, which names every layer by digest. */ readonly digest: string;
};

const MAX_MANIFEST_BYTES = 1024 * 1024;
const read = promisify(execFile);

/**
 * Reads what a saved image is, before an engine loads it: an archive may name any tag, and loading it would take that tag from another image. Throws
 * `usage` for a file that is no archive of exactly one image.
 */
export async function readArchive(file: string): Promise<ImageArchive> {
  const noArchive = (cause: unknown): AgentError =>
    new AgentError("usage", `${file} is no saved image.`, { cause, remedy: "Make one on a machine that has it: warder setup --save-image FILE" });
  try {
    const { stdout } = await read("tar", ["--extract", "--to-stdout", "--file", file, "--occurrence=1", "manifest.json"], { maxBuffer: MAX_MANIFEST_BYTES });
    const [image, ...others] = JSON.parse(stdout) as readonly { readonly Config?: unknown; readonly RepoTags?: unknown }[];
    const hex = /(?:^|\/)([0-9a-f]{64})(?:\.json)?$/u.exec(String(image?.Config))?.[1];
    const tags: unknown = image?.RepoTags ?? [];
    if (others.length > 0 || hex === undefined || !Array.isArray(tags)) throw noArchive(null);
    return { tags: tags.map(String), digest: `sha256:${hex}` };
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw noArchive(error);
  }
}

export async function loadArchive(engine: Engine, file: string): Promise<void> {
  try {
    const answer = await engine.docker.loadImage(createReadStream(file), { quiet: true });
    let text = "";
    for await (const chunk of answer) text = (text + chunk.toString()).slice(-2000);
    const fault = /"error":"((?:[^"\\]|\\.)*)"/u.exec(text)?.[1];
    if (fault !== undefined) throw new AgentError("sandbox-unavailable", `The engine could not load ${file}: ${fault}`);
  } catch (error) {
    throw engineError(error);
  }
}

/** Written beside and renamed, so that nobody takes half an image for one. */
export async function saveArchive(engine: Engine, name: string, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(await engine.docker.getImage(name).get(), createWriteStream(partial, { flags: "wx" }));
    await rename(partial, file);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new AgentError("usage", `${partial} is in the way.`, { cause: error, remedy: "Remove it, or name another file." });
    await rm(partial, { force: true });
    if (path !== undefined)
      throw new AgentError("usage", `${file} cannot be written: ${String(code)}.`, { cause: error, remedy: "Name a file in a folder of yours." });
    throw engineError(error);
  }
}

/** The content digest of an image by its tag; null when the engine has none. */
export async function idOf(engine: Engine, name: string): Promise<string | null> {
  try {
    const { Id: id } = await engine.docker.getImage(name).inspect();
    return id.startsWith("sha256:") ? id : `sha256:${id}`;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw engineError(error);
  }
}
