import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readStory } from "../../src/app/story/story.ts";
import { createLiveView } from "../../src/cli/view/live/live-view.ts";
import { summaryText } from "../../src/cli/view/run-summary.ts";
import { storyMarkdown } from "../../src/cli/view/story/markdown.ts";
import { storyText } from "../../src/cli/view/story/terminal.ts";
import { called, delegated, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { childrenIn, familyPlace } from "../support/family-place.ts";

describeWithDocker("a sub-agent", () => {
  test("works on a task with an empty conversation, in the workspace of its parent, and gives back the last that it says", async () => {
    const { end, heard, events, records, runId } = await familyPlace().play({
      "Main.": [
        { calls: [called("write_file", { path: "note.txt", content: "blue" })] },
        delegated("Child: say what note.txt holds."),
        { text: "It is blue." },
      ],
      "Child:": [{ calls: [called("shell", { command: "cat note.txt; echo seen > answer.txt" })] }, { text: "note.txt holds blue." }],
    });
    expect([end.kind, end.text]).toEqual(["done", "It is blue."]);
    const [, result = ""] = resultsOf(heard, "Main.");
    expect(result).toMatch(/^\[untrusted output\]\nsub-agent run-\S+: done\nnote\.txt holds blue\.$/u);
    const first = heard.find(({ task }) => task.startsWith("Child:"));
    expect(first?.request.messages).toHaveLength(1);
    expect(first?.request.system).toContain("You are a sub-agent");
    expect(resultsOf(heard, "Child:")[0]).toContain("blue");
    // Its records stand under its own name, its start says whose it is, and its events are nested in its parent's.
    const start = records.find(({ kind, payload }) => kind === "run-start" && payload["parent"] === runId);
    const childId = start?.run ?? "";
    expect(result).toContain(childId);
    expect(records.filter(({ run }) => run === childId).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["run-start", "call", "ruling", "permit-spent", "outcome", "run-end"]),
    );
    const nested = events.filter((event) => event.kind === "child-event");
    expect(nested.every((event) => event.runId === runId && event.callId === "call-agent" && event.event.runId === childId)).toBe(true);
    expect(nested.map(({ event }) => event.kind)).toEqual(expect.arrayContaining(["run-start", "ruling", "tool-start", "tool-end", "run-end"]));
    // What it took counts for its parent.
    expect(end.turns).toBe(5);
    expect(events.find((event) => event.kind === "tool-end" && event.tool === "agent")).toMatchObject({ childRunId: childId });
  });

  test("is told of where its run is told: in its summary, by runs show and in an export", async () => {
    const { runId, summary, records } = await familyPlace().play({
      "Main.": [delegated("Child: look, and touch .env.")],
      "Child:": [{ calls: [called("shell", { command: "ls" }), called("read_file", { path: ".env" })] }],
    });
    const [child = ""] = childrenIn(records);
    expect(summary.children).toEqual([{ run: child, task: "Child: look, and touch .env.", ending: "done" }]);
    expect(summary.done).toContainEqual(expect.objectContaining({ tool: "shell", what: "ls", child }));
    expect(summary.refused).toContainEqual(expect.objectContaining({ tool: "read_file", child }));
    expect(summary.cost).toMatchObject({ turns: 4, tokens: 8 });
    expect(summaryText(summary)).toContain(`Sub-agents (1):\n  ${child} (done): Child: look`);
    const story = await readStory(runId, null);
    expect(storyText(story, 120)).toContain(`Sub-agent: ${child} (done): Child: look`);
    expect(storyMarkdown(story)).toContain(`Sub-agent: ${child}`);
    expect(story.models).toEqual([expect.objectContaining({ turns: 4, tokens: 8 })]);
    expect(storyText(await readStory(child, null), 120)).toContain(`Sub-agent of: ${runId}`);
  });

  test("is shown as it works, nested in its run", async () => {
    const out = new PassThrough() as unknown as NodeJS.WriteStream & PassThrough;
    const view = createLiveView(out);
    await familyPlace().play(
      { "Main.": [delegated("Child: look.")], "Child:": [{ calls: [called("shell", { command: "ls" }, "call-agent")] }] },
      { onEvent: (event) => view.show(event) },
    );
    view.end();
    const shown = String(out.read());
    expect(shown).toMatch(/^▸ agent/mu);
    expect(shown).toMatch(/^ {2}sub-agent run-\S+ Child: look\.$/mu);
    expect(shown).toMatch(/^ {2}▸ shell {2}ls$/mu);
    expect(shown).toMatch(/^ {4}└ completed in/mu);
    expect(shown).toMatch(/^ {2}done · 2 turns · 1 call/mu);
    expect(shown).toMatch(/^done · 4 turns/mu);
  });
});
