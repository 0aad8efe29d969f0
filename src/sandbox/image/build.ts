import { AgentError } from "../../base/errors.ts";
import { type Engine, engineError, imageSettingFault } from "../docker/engine.ts";

/** What an image is made of: a directory with a Dockerfile, or the same as a tar archive. */
export type BuildContext = { readonly directory: string } | { readonly archive: NodeJS.ReadableStream };

export type BuildPlan = {
  readonly context: BuildContext;
  /** The digest of the image that a Dockerfile gets as the argument `WARDER_BASE`. */
  readonly base: string;
  readonly signal: AbortSignal;
  /** Called with what the engine prints. */
  readonly onText: (text: string) => void;
};

const BASE_ARGUMENT = "WARDER_BASE";

/** Labels what Warder had made, so that a person finds it in the engine's list. */
const LABEL = { "warder.prepared": "1" };

/** Lets the engine build an image and returns its content digest. Throws `sandbox-unavailable` with the engine's words. */
export async function buildImage(engine: Engine, { context, base, signal, onText }: BuildPlan): Promise<string> {
  const options = { buildargs: { [BASE_ARGUMENT]: base }, labels: LABEL, nocache: true, rm: true, forcerm: true, abortSignal: signal };
  let id: string | null = null;
  try {
    const stream = await engine.docker.buildImage("directory" in context ? { context: context.directory, src: ["."] } : context.archive, options);
    for await (const message of messagesOf(stream)) {
      if (message.error !== undefined) throw new AgentError("sandbox-unavailable", `The image could not be built: ${message.error.trim()}`);
      if (message.stream !== undefined) onText(message.stream);
      id = message.aux?.ID ?? id;
    }
  } catch (error) {
    if (signal.aborted) throw new AgentError("usage", "It was interrupted, and no image was added.", { cause: error });
    throw engineError(error);
  }
  if (id === null) throw new AgentError("sandbox-unavailable", "The engine did not say which image it built.");
  return await acceptedImage(engine, id);
}

async function acceptedImage(engine: Engine, id: string): Promise<string> {
  try {
    const image = await engine.docker.getImage(id).inspect();
    const fault = imageSettingFault(image);
    if (fault === null) return image.Id.startsWith("sha256:") ? image.Id : `sha256:${image.Id}`;
    await removeImage(engine, id);
    throw new AgentError("sandbox-unavailable", `The image ${fault}. Leave it out of the Dockerfile.`);
  } catch (error) {
    throw engineError(error);
  }
}

/** Names an image in the engine's list, so that clearing what has no name keeps it. */
export async function tagImage(engine: Engine, id: string, tag: string): Promise<void> {
  try {
    await engine.docker.getImage(id).tag({ repo: "warder-prepared", tag });
  } catch (error) {
    throw engineError(error);
  }
}

/** Removes an image with its tag; false when it was not there. Throws `sandbox-unavailable` when something uses it. */
export async function removeImage(engine: Engine, id: string): Promise<boolean> {
  try {
    await engine.docker.getImage(id).remove();
    return true;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false;
    throw engineError(error);
  }
}

type BuildMessage = { readonly stream?: string; readonly error?: string; readonly aux?: { readonly ID?: string } };

/** The engine answers with JSON objects, one a line. */
async function* messagesOf(stream: NodeJS.ReadableStream): AsyncGenerator<BuildMessage> {
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line) as BuildMessage;
  }
  if (rest.trim() !== "") yield JSON.parse(rest) as BuildMessage;
}
