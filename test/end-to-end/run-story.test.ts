import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunStory } from "../../src/app/story/story.ts";
import { describeWithDocker } from "../support/docker.ts";
import { place, script } from "../support/test-place.ts";
import { warder } from "../support/warder-cli.ts";

const PLAY = `protocol: anthropic
turns:
  - say: "Let me <b>look</b>."
    calls: [{ tool: shell, input: { command: "cat hostile.txt && echo made > made.txt && grep key hostile.txt > noted.txt" } }, { tool: shell, input: { command: "cat /etc/shadow" } }, { tool: TodoWrite, input: { todos: [{ content: "Make <i>made.txt</i>", status: completed, activeForm: "Making" }, { content: "Say so", status: in_progress }] } }]
  - say: "It is made."
`;

describeWithDocker("a run that is over", () => {
  test("is shown at 80 columns and exported as Markdown and as a page, with rulings, results, diff and costs", async () => {
    const here = place();
    writeFileSync(
      join(here.workspace, "hostile.txt"),
      "</script><script>alert(1)</script>\n\u001b[2J\u202e evil\napi_key=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\npassword=hunter2-and-more\n",
    );
    const end = await warder(here, ["run", "--unattended", "--json", "--model", script(here, PLAY), "Make made.txt."]);
    expect(end.exitCode, end.stderr).toBe(0);
    const run = /"runId":"(run-\w+)"/u.exec(end.stdout)?.[1] ?? "";

    const shown = await warder(here, ["runs", "show", run]);
    expect(shown.exitCode, shown.stderr).toBe(0);
    for (const line of shown.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown.stdout).toMatch(/^run-\w+ {2}done\nTask: Make made\.txt\.\n/u);
    expect(shown.stdout).toContain("Turn 1");
    expect(shown.stdout).toContain("Its list, 1 of 2 done:\n  [x] Make <i>made.txt</i>\n  [>] Say so\n");
    expect(end.stdout).toMatch(/"kind":"tool-update".*"content":"Say so"/u);
    expect(shown.stdout).toContain("▸ shell  cat hostile.txt && echo made > made.txt");
    expect(shown.stdout).toMatch(/ {2}deny · \w+\n {4}rule forbidden-path/u);
    expect(shown.stdout).toMatch(/ {2}allow · [^]*\n {2}│ \[untrusted output\]\n/u);
    expect(shown.stdout).toMatch(/Changes that wait \(2\): .*\n {2}\w+ made\.txt\n/u);
    expect(shown.stdout).toMatch(/Cost: 2 turns, \d+ tokens, 0\.00 US dollars/u);

    const story = JSON.parse((await warder(here, ["runs", "show", run, "--json"])).stdout) as RunStory;
    expect(story.turns.map(({ calls }) => calls.map(({ verdict, outcome }) => [verdict, outcome]))).toEqual([
      [
        ["allow", "completed"],
        ["deny", ""],
        ["allow", "completed"],
      ],
      [],
    ]);

    const html = (await warder(here, ["runs", "export", run])).stdout;
    expect(html).toContain("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("\\u{1b}[2J\\u{202e} evil");
    expect(html).toContain('<span class="added">+made</span>');
    expect(html).not.toMatch(/<script|sk-ant-api03|hunter2/u);

    const markdown = (await warder(here, ["runs", "export", run, "--format", "md"])).stdout;
    expect(markdown).toMatch(/^# run-\w+: done\n/u);
    expect(markdown).toContain("**deny**");
    expect(markdown).toContain("- ` [x] Make <i>made.txt</i> `");
    expect(html).toContain("<li>[x] Make &lt;i&gt;made.txt&lt;/i&gt;</li>");
    expect(markdown).toContain("+made");

    expect((await warder(here, ["changes", "apply", run, "made.txt", "--yes"])).exitCode).toBe(0);
    const landed = await warder(here, ["runs", "show", run]);
    expect(landed.stdout).toMatch(/Changes: .*: 1 landed, 0 left out/u);
    expect((await warder(here, ["runs", "show", "run-none"])).exitCode).toBe(2);
  });
});
