import { loadOwnImage, makeOwnImage, type OwnImage, ownImageHere, saveOwnImage } from "../../app/begin/own-image.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { withInterrupt } from "../process/interrupt.ts";

export type SetupOptions = { readonly imageFile?: string; readonly digest?: string; readonly saveImage?: string };

/** `warder setup`: makes or loads what is missing. The last line says what there is now. */
export async function setup({ imageFile, digest, saveImage }: SetupOptions): Promise<number> {
  if (digest !== undefined && imageFile === undefined)
    throw new AgentError("usage", "--digest goes with --image-file.", { remedy: "See: warder setup --help" });
  if (saveImage !== undefined) {
    if (imageFile !== undefined) throw new AgentError("usage", "Either --image-file or --save-image.", { remedy: "See: warder setup --help" });
    return await save(saveImage);
  }
  if (imageFile !== undefined) {
    say(`Loading ${imageFile} …`);
    return ready(await loadOwnImage(imageFile, digest ?? null));
  }
  return ready((await ownImageHere()) ?? (await make()));
}

/** Makes the image with progress on standard error: at a terminal the first command that misses it offers this. */
export async function make(): Promise<OwnImage> {
  let isAnnounced = false;
  // Nothing is printed where the engine has the image already and it is only recorded.
  const onText = (text: string): void => {
    if (!isAnnounced) say("Making the sandbox image (two to four minutes, 550 MB) …");
    isAnnounced = true;
    process.stderr.write(makeVisible(text));
  };
  return await withInterrupt(async (signal) => await makeOwnImage({ signal, onText }));
}

async function save(file: string): Promise<number> {
  say(`Saving the image into ${file} …`);
  const { tag, digest } = await saveOwnImage(file);
  process.stdout.write(`Saved ${tag}. There: warder setup --image-file ${makeVisible(file)} --digest ${digest}\n`);
  return EXIT.done;
}

function ready({ tag, id }: OwnImage): number {
  process.stdout.write(`Ready: ${tag} (${id.slice(0, 19)}). Next: warder doctor\n`);
  return EXIT.done;
}

function say(line: string): void {
  process.stderr.write(`${makeVisible(line)}\n`);
}
