import { expect, test } from "vitest";
import { createInbox, imagesText, type NamedImage } from "../../src/agent/inbox.ts";
import { continuationOf } from "../../src/agent/journal.ts";
import { callEnd, play } from "../support/agent-run.ts";

const image = (name: string): NamedImage => ({ name, mediaType: "image/png", base64: "iVBORw0KGgo=" });
const shown = (name: string) => ({ kind: "user", text: imagesText([image(name)]), images: [{ mediaType: "image/png", base64: "iVBORw0KGgo=" }] });

test("images that a person gave stand behind their words, with the task and on the way, also when the run goes on", async () => {
  const inbox = createInbox();
  const turns = [{ calls: [{ tool: "shell", input: { command: "a" } }] }, { say: "Seen." }, { say: "Over." }];
  const run = async () => (inbox.steer("And this?", [image("b.png")]), await Promise.resolve(callEnd("answer")));
  const { messages, steps, end } = await play(turns, run, { inbox, images: [image("a.png")] });
  expect(end.kind).toBe("done");
  expect(messages.filter(({ kind }) => kind === "user")).toEqual([
    { kind: "user", text: "Go." },
    shown("a.png"),
    { kind: "user", text: "And this?" },
    shown("b.png"),
  ]);
  expect(continuationOf("Go.", steps).messages).toEqual(messages);
});

test("images of a message that a hook keeps out are kept out with it", async () => {
  const inbox = createInbox();
  inbox.steer("secret plans", [image("plan.png")]);
  const hooks = [{ name: "no-plans", onPrompt: ({ text }: { text: string }) => (text.includes("secret") ? { block: "No plans." } : undefined) }];
  const { messages } = await play([{ say: "Over." }], async () => await Promise.resolve(callEnd("")), { inbox, hooks });
  expect(JSON.stringify(messages)).not.toContain("plan");
});
