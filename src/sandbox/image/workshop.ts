import { AgentError } from "../../base/errors.ts";
import { type Engine, openEngine, ownImage } from "../docker/engine.ts";
import { type DockerOptions, sessionPlanOf } from "../docker/runtime.ts";
import { idOf, loadArchive, saveArchive } from "./archive.ts";
import { type BuildPlan, buildImage, removeImage, tagImage } from "./build.ts";
import { type ImageLayerPlan, prepareLayer } from "./prepare.ts";
import { type ImageReport, probeImage } from "./probe.ts";
import type { OpenOptions, SandboxProfile } from "../runtime.ts";

export { enginePlaceIn } from "../docker/reach/address.ts";
export type { KeptPath } from "./prepare.ts";
export type { ImageReport } from "./probe.ts";

type Place = { readonly profile: SandboxProfile; readonly options: OpenOptions };

/** What makes and removes the images of policies. Everything here throws `sandbox-unavailable` with the engine's words. */
export type ImageWorkshop = {
  /** The digest of Warder's own image. */
  own(): string;
  /** Where its name is written. */
  readonly imageRecord: string;
  /** The content digest of an image by its tag; null when the engine has none. */
  idOf(name: string): Promise<string | null>;
  /** Has the engine load the images of an archive that `readArchive` looked at. */
  load(file: string): Promise<void>;
  /** Writes an image with its tag into a new file. */
  save(name: string, file: string): Promise<void>;
  /** Builds what a directory's Dockerfile says. */
  build(plan: BuildPlan): Promise<string>;
  /** Runs a command in a sandbox and keeps what it left. */
  prepare(place: Place, plan: ImageLayerPlan): Promise<string>;
  /** Opens a sandbox in an image and says what is missing there. */
  probe(place: Place): Promise<ImageReport>;
  tag(image: string, tag: string): Promise<void>;
  isThere(image: string): Promise<boolean>;
  /** False when it was not there. */
  remove(image: string): Promise<boolean>;
};

/** The workshop of a Docker Engine. Throws `bad-configuration` for an address that is none. */
export function imageWorkshop(dockerOptions: DockerOptions = {}): ImageWorkshop {
  const engine: Engine = openEngine(dockerOptions);
  return {
    own: () => ownImage(engine),
    imageRecord: engine.imageRecord,
    idOf: (name) => idOf(engine, name),
    load: (file) => loadArchive(engine, file),
    save: (name, file) => saveArchive(engine, name, file),
    build: (plan) => buildImage(engine, plan),
    prepare: async ({ profile, options }, plan) => prepareLayer(engine, await sessionPlanOf(engine, profile, options), plan),
    probe: async ({ profile, options }) => probeImage(await sessionPlanOf(engine, profile, options)),
    tag: (image, tag) => tagImage(engine, image, tag),
    isThere: async (image) => {
      try {
        await engine.docker.getImage(image).inspect();
        return true;
      } catch (error) {
        if (error instanceof AgentError || (error as { statusCode?: number }).statusCode !== 404) throw error;
        return false;
      }
    },
    remove: (image) => removeImage(engine, image),
  };
}
