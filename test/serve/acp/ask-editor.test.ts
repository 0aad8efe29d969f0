import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { choicesFor, editorChannel, elsewhereChannel, type Permission } from "../../../src/serve/acp/ask-editor.ts";
import { exampleCard } from "../../approvals/example-card.ts";

const { signal } = new AbortController();
const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
const names = (card: ReturnType<typeof exampleCard>): readonly string[] => choicesFor(card).choices.map(({ name, kind }) => `${kind}: ${name}`);
const exactly = { kind: "command", pattern: "touch a", effects: ["writes"], place: "/w" } as const;

describe("a question at an editor", () => {
  test("has once, for the run, and no; a command of plain words is allowed by these words", () => {
    expect(names(exampleCard())).toEqual(["allow_once: Allow once", "allow_always: Allow exactly this until the run ends", "reject_once: Refuse"]);
    const { choices } = choicesFor(exampleCard({ grant: exactly, grantExamples: { covers: "touch a", leaves: "touch b" } }));
    expect(choices.map(({ name }) => name)).toEqual(["Allow once", "Allow this command until the run ends", "Refuse"]);
    expect(choices.map(({ end }) => end)).toEqual([
      { kind: "granted", scope: "once", by: "editor" },
      { kind: "granted", scope: "pattern", by: "editor", period: { kind: "run" } },
      { kind: "refused", scope: "once", by: "editor" },
    ]);
  });

  test("is never answered with yes there where it needs a code, a second person or more than fits", () => {
    for (const card of [
      exampleCard({ needsCode: true }),
      exampleCard({ needed: 2 }),
      exampleCard({ commands: [`touch ${"a ".repeat(10_000)}`] }),
      exampleCard({ question: { text: "Which?", choices: ["a", "b"] }, needsCode: true }),
    ]) {
      expect(names(card)).toEqual(["reject_once: Refuse"]);
      expect(choicesFor(card).hint).toBe("Answer it at a terminal: warder approvals grant approval-000000000001");
    }
  });

  test("of what leaves the sandbox wants the word of the card, which is neither the first nor the last", () => {
    for (let round = 0; round < 50; round += 1) {
      const { hint, choices } = choicesFor(exampleCard({ risk: "high" }));
      const word = /choose this word: (?<word>[a-z]+-\d\d)$/u.exec(hint)?.groups?.["word"] ?? "";
      const yes = choices.flatMap(({ end }, index) => (end.kind === "granted" ? [index] : []));
      expect(choices).toHaveLength(5);
      expect(yes.map((index) => choices[index]?.name)).toEqual([word]);
      expect([1, 2]).toContain(yes[0]);
      expect(choices.map(({ kind }) => kind)).not.toContain("allow_always");
      expect(new Set(choices.map(({ name }) => name)).size).toBe(5);
    }
  });

  test("in words has its choices as answers", () => {
    const { choices } = choicesFor(exampleCard({ question: { text: "Which?", choices: ["the \u202Ered", "blue"] } }));
    expect(choices.map(({ name }) => name)).toEqual(["the \\u{202e}red", "blue", "No answer"]);
    expect(choices[0]?.end).toEqual({ kind: "granted", scope: "once", by: "editor", words: "the \u202Ered" });
    expect(names(exampleCard({ question: { text: "Why?", choices: [] } }))).toEqual(["reject_once: No answer"]);
  });

  test("is answered by what was offered alone: all else is nobody's answer", async () => {
    const asked: Permission[] = [];
    const end = async (answer: unknown) => {
      const ask = (permission: Permission) => {
        asked.push(permission);
        return Promise.resolve(answer as RequestPermissionResponse);
      };
      return await editorChannel(ask, () => "call-1").ask(exampleCard(), signal);
    };
    expect(await end(selected("0"))).toMatchObject({ kind: "granted", scope: "once" });
    expect(await end(selected("2"))).toMatchObject({ kind: "refused" });
    for (const optionId of ["3", "-1", "allow", "", "00", "__proto__"]) expect(await end(selected(optionId))).toMatchObject({ kind: "nobody" });
    expect(await end({ outcome: { outcome: "cancelled" } })).toMatchObject({ kind: "nobody" });
    expect(await end({ outcome: { outcome: "allow", optionId: "0" } })).toMatchObject({ kind: "nobody" });
    await expect(end({})).rejects.toThrow(TypeError);
    expect(asked[0]?.toolCall).toMatchObject({ toolCallId: "call-1", status: "pending" });
    expect(asked[0]?.toolCall.title).toBeUndefined();
    expect(JSON.stringify(asked[0]?.toolCall.content)).toContain(" | touch a");
  });

  test("is only told there where answers are wanted elsewhere", async () => {
    const said: string[] = [];
    const told = elsewhereChannel((text) => {
      said.push(text);
      return Promise.resolve();
    });
    expect(await told.ask(exampleCard(), signal)).toEqual({ kind: "told" });
    expect(said).toEqual([expect.stringContaining("warder approvals grant approval-000000000001")]);
  });

  test("that no call asked has a title of its own, and shows a file's change as a diff", async () => {
    const asked: Permission[] = [];
    const ask = (permission: Permission) => {
      asked.push(permission);
      return Promise.resolve(selected("0"));
    };
    const change = { path: "/w/a", diff: "@@ -1,2 +1,2 @@\n one\n-two\n+``` three", isNew: false };
    await editorChannel(ask, () => null).ask(exampleCard({ change }), signal);
    const { title, toolCallId, content } = asked[0]?.toolCall ?? {};
    expect([title, toolCallId]).toEqual(["Allow this? medium risk: writes files", "approval-000000000001"]);
    expect(content?.[0]).toEqual({ type: "diff", path: "/w/a", oldText: "one\ntwo", newText: "one\n``` three" });
    // Nothing in the card ends the block that it stands in.
    expect(content?.[1]).toMatchObject({ content: { text: expect.stringMatching(/^````\n[^]*\n````$/u) } });
  });
});
