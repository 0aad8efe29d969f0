import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { runTask } from "../../src/app/run/run.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { defineTool } from "../../src/tools/contract/define.ts";
import { agentsInProcess, called, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { familyPlace, PRICE, recordsHere } from "../support/family-place.ts";

describeWithDocker("the tools of a run", () => {
  test("are offered from turn to turn, as policy, sandbox and gates let them; a call of another is refused with the reason", async () => {
    const here = familyPlace();
    writeFileSync(here.policy, "version: 1\nname: own\nextends: unattended\ntools: { allow: ['sh*', 'power*', 'rea*'], deny: [read_job] }\n");
    const { provider, heard } = agentsInProcess({
      "Main.": [
        { calls: [called("powershell", { command: "1" }, "pwsh"), called("shell", { command: "echo one" }, "first")] },
        {
          calls: [called("bash", { command: "echo two" }, "second"), called("read_file", { path: "a" }, "broken"), called("glob", { pattern: "*" }, "denied")],
        },
      ],
    });
    let over = 0;
    await runTask(readContext(here.policy, here.workspace), {
      task: "Main.",
      model: { provider, price: PRICE },
      isUnattended: true,
      gates: [
        { name: "office hours", refuses: (tool) => (tool === "shell" && over > 0 ? "No commands after the first turn." : null) },
        {
          name: "broken",
          refuses: (tool) => {
            if (tool === "read_file") throw new Error("a fault");
            return null;
          },
        },
      ],
      signal: new AbortController().signal,
      emit: ({ kind }) => (kind === "turn-end" ? (over += 1) : 0),
    });
    expect(heard.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([["read_artifact", "shell"], ["read_artifact"], ["read_artifact"]]);
    const [pwsh, first, ...rest] = resultsOf(heard, "Main.");
    expect(pwsh).toContain("Tool not available: powershell. The sandbox of this run has no program pwsh.");
    expect(first).toContain("one");
    expect(rest).toEqual([
      "[warder, failed]\nTool not available: shell. No commands after the first turn. (office hours)",
      "[warder, failed]\nTool not available: read_file. It failed, so it does not let the tool through. (broken)",
      expect.stringContaining("tool-not-allowed"),
    ]);
    const rejected = recordsHere().filter(({ kind }) => kind === "call-rejected");
    expect(rejected.map(({ payload }) => payload["tool"])).toEqual(["powershell", "shell", "read_file"]);
  });

  test("are found by words where there are many, and judged as ever", async () => {
    const here = familyPlace();
    writeFileSync(here.policy, "version: 1\nname: own\nextends: unattended\ntools: { allow: ['*', weather, 'thing_*'], deny: [thing_7] }\n");
    const own = ["weather", ...Array.from({ length: 40 }, (_, at) => `thing_${String(at)}`)].map((name) =>
      defineTool({ name, description: `Says ${name}.`, schema: z.object({}), traits: { tier: "read-only" }, execute: () => `It is ${name}.` }),
    );
    const { provider, heard } = agentsInProcess({
      "Main.": [{ calls: [called("tool_search", { query: "the weather, or thing 7" })] }, { calls: [called("weather", {}), called("thing_7", {})] }],
    });
    await runTask(readContext(here.policy, here.workspace), {
      task: "Main.",
      model: { provider, price: PRICE },
      isUnattended: true,
      tools: own,
      signal: new AbortController().signal,
      emit: () => undefined,
    });
    const shown = heard.map(({ request }) => request.tools.map(({ name }) => name).filter((name) => name === "weather" || name.startsWith("thing_")));
    expect(shown[0]).toEqual([]);
    expect(shown[1]).toEqual(expect.arrayContaining(["weather", "thing_0"]));
    expect(shown[1]?.length).toBeLessThanOrEqual(8);
    expect(shown[1]).not.toContain("thing_7");
    const [found, weather, denied] = resultsOf(heard, "Main.");
    expect(found).toMatch(/From now on you have: weather, [^\n]*thing_/u);
    expect(weather).toContain("It is weather.");
    expect(denied).toContain("tool-denied");
  });
});
