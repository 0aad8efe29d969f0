import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place } from "../support/test-place.ts";
import { type Place, warder, writePolicy } from "../support/warder-cli.ts";

/** A place with a policy and a model script beside the workspace. */
function prepared(): Place {
  const here = place();
  writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\n");
  writeFileSync(join(here.root, "night.yaml"), 'protocol: openai\nturns:\n  - say: "Done."\n');
  return here;
}

const JOB = {
  cron: '"0 3 * * *"',
  "time-zone": "Europe/Berlin",
  task: "tidy up",
  model: "scripted:night.yaml",
  workspace: "workspace",
  policy: "./nightly.yaml",
};

function declare(here: Place, jobs: Readonly<Record<string, Partial<Record<string, string>>>>, path = join(here.root, "schedules.yaml")): string {
  const lines = Object.entries(jobs).flatMap(([name, job]) => [
    `  ${name}:`,
    ...Object.entries({ ...JOB, ...job }).map(([key, value]) => `    ${key}: ${value}`),
  ]);
  writeFileSync(path, `version: 1\njobs:${lines.length === 0 ? " {}" : `\n${lines.join("\n")}`}\n`);
  return path;
}

async function syncAtTerminal(here: Place, file: string, word = "sync"): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  const terminal = warderAtTerminal(here, ["schedule", "sync", file]);
  await terminal.shows(/type: sync/u);
  terminal.type(`${word}\r`);
  return { exitCode: await terminal.ended, screen: terminal.screen() };
}

type Listed = readonly { readonly name: string; readonly cron: string; readonly policy: string; readonly model: string; readonly heldBecause: string | null }[];
const listed = async (here: Place): Promise<Listed> => (JSON.parse((await warder(here, ["schedule", "list", "--json"])).stdout) as { jobs: Listed }).jobs;

describe("a reviewed file of jobs", () => {
  test("makes the jobs what it declares, once a person saw what is added, changed and removed", async () => {
    const here = prepared();
    const file = declare(here, { nightly: {}, weekly: { cron: '"@weekly"' } });
    expect((await warder(here, ["schedule", "sync", file, "--check"])).exitCode).toBe(1);
    expect(await warder(here, ["schedule", "sync", file])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("A person at a terminal") });
    expect(await syncAtTerminal(here, file, "yes")).toMatchObject({ exitCode: 2 });
    expect(await listed(here)).toEqual([]);

    const first = await syncAtTerminal(here, file);
    expect(first).toMatchObject({
      exitCode: 0,
      screen: expect.stringMatching(/added nightly[\s\S]*task +tidy up[\s\S]*added weekly[\s\S]*2 added, 0 changed, 0 removed/u),
    });
    // What the file names relative to itself is found from wherever cron or a daemon runs.
    expect(await listed(here)).toMatchObject([
      { name: "nightly", policy: join(here.root, "nightly.yaml"), model: `scripted:${join(here.root, "night.yaml")}` },
      { name: "weekly" },
    ]);
    expect(await warder(here, ["schedule", "sync", file, "--check"])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("The jobs are as") });

    declare(here, { nightly: { cron: '"0 4 * * *"' }, hourly: { cron: '"@hourly"' } });
    writeFileSync(join(here.root, "nightly.yaml"), "version: 1\nname: nightly\nextends: unattended\nlimits: { run: { turns: 7 } }\n");
    const second = await syncAtTerminal(here, file);
    expect(second).toMatchObject({
      exitCode: 0,
      screen: expect.stringMatching(
        /added hourly[\s\S]*changed nightly\s+- job: cron: 0 3[\s\S]*\+ job: cron: 0 4[\s\S]*limits\.run\.turns: 7[\s\S]*removed weekly/u,
      ),
    });
    expect((await listed(here)).map(({ name, cron }) => [name, cron])).toEqual([
      ["hourly", "@hourly"],
      ["nightly", "0 4 * * *"],
    ]);
    const log = await warder(here, ["audit", "tail", "--json", "--kind", "schedule-job"]);
    const changes = log.stdout.split("\n").flatMap((line) => /"change":"(\w+)"/u.exec(line)?.[1] ?? []);
    expect(changes).toEqual(["added", "added", "removed", "added", "changed"]);
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("that is changed holds its jobs until a person confirms it as it is, also where only a comment is new", async () => {
    const here = prepared();
    const file = declare(here, { nightly: {} });
    expect((await syncAtTerminal(here, file)).exitCode).toBe(0);
    writeFileSync(file, `# reviewed by ann\n${readFileSync(file, "utf8")}`);
    const held = await warder(here, ["schedule", "run", "nightly"]);
    expect(held).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`warder schedule sync ${file}`) });
    expect((await listed(here))[0]?.heldBecause).toContain("schedules.yaml");
    expect(await warder(here, ["schedule", "confirm", "nightly"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("schedule sync") });
    expect(await syncAtTerminal(here, file)).toMatchObject({ exitCode: 0, screen: expect.stringContaining("as it is nightly, and no longer held") });
    expect((await listed(here))[0]?.heldBecause).toBeNull();
  });

  test("inside a workspace counts only as a person confirmed its text, like a policy there", async () => {
    const here = prepared();
    const job = { model: "scripted:../night.yaml", workspace: ".", policy: "../nightly.yaml" };
    const file = declare(here, { nightly: job }, join(here.workspace, "schedules.yaml"));
    const refused = await warder(here, ["schedule", "sync", file, "--check"]);
    expect(refused).toMatchObject({ exitCode: 78, stderr: expect.stringContaining(`warder policy trust ${file}`) });
    const absent = await warder(here, ["schedule", "sync", "./none.yaml", "--check"]);
    expect(absent).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("There is no file of jobs") });
    // Nor through a link from elsewhere.
    symlinkSync(file, join(here.root, "link.yaml"));
    expect((await warder(here, ["schedule", "sync", join(here.root, "link.yaml"), "--check"])).exitCode).toBe(78);
    const terminal = warderAtTerminal(here, ["policy", "trust", file]);
    await terminal.shows(/type: trust/u);
    terminal.type("trust\r");
    expect(await terminal.ended).toBe(0);
    expect(await warder(here, ["schedule", "sync", file, "--check"])).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("added nightly") });
    writeFileSync(file, `# more\n`, { flag: "a" });
    expect((await warder(here, ["schedule", "sync", file, "--check"])).exitCode).toBe(78);
  });

  test("says everything that is wrong with it at once, each with its place", async () => {
    const here = prepared();
    mkdirSync(join(here.workspace, "bin"));
    const file = declare(here, {
      one: { cron: '"0 3 * *"' },
      two: { "time-zone": "Mars" },
      three: { model: "nothing" },
      four: { workspace: "nowhere" },
      five: { policy: "./gone.yaml" },
      six: { cron: '"*/5 * * * *"', jitter: "5m" },
      seven: { notify: `command:${here.workspace}/bin/tell` },
      eight: { notify: "carrier-pigeon" },
    });
    const { exitCode, stderr } = await warder(here, ["schedule", "sync", file, "--check"]);
    expect(exitCode).toBe(78);
    const places = [...stderr.matchAll(/schedules\.yaml:(\d+:\d+): error: (.{12})/gu)].map(([, at, text]) => `${at} ${text}`);
    expect(places).toMatchInlineSnapshot(`
      [
        "4:11 "0 3 * *" is",
        "12:16 "Mars" is no",
        "21:12 "nothing" na",
        "29:16 The director",
        "37:13 There is no ",
        "45:13 The jitter m",
        "53:13 Nobody is to",
        "61:13 "carrier-pig",
      ]
    `);
    expect(await listed(here)).toEqual([]);
  });

  test("takes no job over that was added elsewhere", async () => {
    const here = prepared();
    expect((await syncAtTerminal(here, declare(here, { nightly: {} }))).exitCode).toBe(0);
    const other = declare(here, { nightly: { cron: '"* * * * *"' } }, join(here.root, "other.yaml"));
    const refused = await warder(here, ["schedule", "sync", other, "--check"]);
    expect(refused).toMatchObject({ exitCode: 78, stderr: expect.stringMatching(/There is a job nightly already, added by .*schedules\.yaml/u) });
  });
});
