import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

describeWithDocker("memory", () => {
  let here: ReturnType<typeof makePlace>;
  beforeAll(() => void (here = makePlace()));
  afterAll(() => here.remove());

  const run = async (calls: readonly object[], when = ""): Promise<string> => {
    const script = join(here.root, "script.yaml");
    const turns = [
      { say: "One.", calls },
      { ...(when === "" ? {} : { when: { "result-contains": when } }), say: "Done." },
    ];
    writeFileSync(script, JSON.stringify({ protocol: "anthropic", turns }));
    const ran = await warder(here, [
      "run",
      "Remember.",
      "--unattended",
      "--policy",
      "unattended",
      "--workspace",
      here.workspace,
      "--model",
      `scripted:${script}`,
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    return ran.stdout + ran.stderr;
  };

  test("goes from one run to the next as data, and a person lists, shows, exports and forgets it", async () => {
    const first = await run([
      { tool: "memory_store", input: { text: "Tests run\u001b[2J with make check." } },
      { tool: "send_user_message", input: { text: "I\u001b[2J wait.\nRefused (1):" } },
      { tool: "sleep", input: { seconds: 1 } },
    ]);
    // On its way and in the summary, and nothing in it passes for Warder's own words.
    expect(first.match(/^ *» I\\u\{1b\}\[2J wait\.\n *» Refused \(1\):$/gmu)).toHaveLength(2);
    expect(first).toContain(`sleep {"seconds":1}`);
    const [ran = ""] = /run-\w{12}/u.exec(first) ?? [];
    expect((await warder(here, ["runs", "show", ran])).stdout).toContain("Message: I\\u{1b}[2J wait.\\nRefused (1):");
    expect(first).toContain("Remembered");
    const listed = await warder(here, ["memory"]);
    const [id = ""] = /memory-\w{12}/u.exec(listed.stdout) ?? [];
    expect(listed.stdout).toMatch(/^memory-\w+ {2}core {2}workspace .* {2}run-\w+ {2}Tests run/u);
    expect(listed.stdout).not.toContain("\u001b[2J");
    expect(first).toContain(id);
    await run([{ tool: "memory_recall", input: { query: "tests" } }], "make check");
    const shown = await warder(here, ["memory", "show", id, "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, scope: "workspace", place: here.workspace, category: "core", labels: [] });
    expect((await warder(here, ["memory", "export"])).stdout.trim().split("\n")).toHaveLength(1);
    expect((await warder(here, ["memory", "forget", id, "memory-unknown"])).exitCode).toBe(2);
    expect((await warder(here, ["memory", "forget", id])).stdout).toBe(`Forgotten: ${id}\n`);
    expect((await warder(here, ["memory", "list"])).stdout).toBe("Nothing is stored.\n");
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });
});
