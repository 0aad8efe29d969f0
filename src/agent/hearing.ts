import type { Emit } from "../gate/gate.ts";
import type { PromptSource } from "../gate/hooks/hook.ts";
import type { RunHooks } from "../gate/hooks/run-hooks.ts";
import type { Image, Message } from "../providers/contract/message.ts";
import type { RunEvent } from "./events.ts";
import { bareImages, imagesText, type Words } from "./inbox.ts";
import { type Journal, warningText } from "./journal.ts";

/** A conversation that words go into: kept before the model hears them. */
type Hearing = {
  readonly options: { readonly runId: string };
  readonly messages: Message[];
  readonly hooks: RunHooks;
  readonly stop: AbortSignal;
  readonly emit: Emit<RunEvent>;
  readonly journal: Journal["record"];
  readonly elapsedMs: () => number;
};

/** Lets what a person said into the conversation, as far as the hooks do. Gives how much went in. */
export async function hear(run: Hearing, all: readonly Words[], source: PromptSource): Promise<number> {
  let heard = 0;
  for (const { text, images } of all) {
    const { block, warnings } = await run.hooks.prompt({ runId: run.options.runId, text, source }, run.stop);
    if (block !== null) {
      run.emit({ kind: "input-rejected", source, text, reason: block.reason });
      continue;
    }
    run.journal({ kind: "note", text, isPersons: true, elapsedMs: run.elapsedMs() });
    run.messages.push({ kind: "user", text });
    run.emit({ kind: "input", source, text, warnings });
    warn(run, warnings);
    show(run, images);
    heard += 1;
  }
  return heard;
}

/** What hooks warned of, behind the message. */
export function warn(run: Hearing, warnings: readonly string[]): void {
  for (const warning of warnings) note(run, warningText(warning));
}

/** The images that a person gave with their words. */
export function show(run: Hearing, images: Words["images"] = []): void {
  if (images.length > 0) note(run, imagesText(images), { images: bareImages(images) });
}

/** Warder's own words to the model. */
export function note(run: Hearing, text: string, { putOffBy, ...shown }: { readonly putOffBy?: string; readonly images?: readonly Image[] } = {}): void {
  run.journal({ kind: "note", text, ...shown, ...(putOffBy && { putOffBy }), elapsedMs: run.elapsedMs() });
  run.messages.push({ kind: "user", text, ...shown });
}
