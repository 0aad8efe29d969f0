import { expect, test } from "vitest";
import { called, delegated, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { familyPlace } from "../support/family-place.ts";

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
});
