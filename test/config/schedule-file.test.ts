import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readScheduleFile, scheduleJsonSchema } from "../../src/config/schedule-file.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

const JOB = `    cron: "0 3 * * *"
    time-zone: Europe/Berlin
    task: tidy up
    model: scripted:night.yaml
    workspace: project
    policy: unattended
`;

function read(text: string) {
  const path = join(temporaryDirectory(), "schedules.yaml");
  writeFileSync(path, text);
  return readScheduleFile(path);
}

test("the published JSON Schema is the one that the loader uses (node scripts/schemas.ts)", () => {
  const published = readFileSync(new URL("../../schemas/schedules.schema.json", import.meta.url), "utf8");
  expect(published).toBe(`${JSON.stringify(scheduleJsonSchema(), null, 2)}\n`);
});

describe("a file of jobs", () => {
  test("is read with where each key stands", () => {
    const file = read(`version: 1\njobs:\n  nightly:\n${JOB}    jitter: 10m\n`);
    expect(file.jobs.get("nightly")).toMatchObject({ cron: "0 3 * * *", "time-zone": "Europe/Berlin", jitter: "10m" });
    expect(file.at("nightly", "time-zone")).toMatchObject({ line: 5, column: 16 });
  });

  test("of the guide is one", () => {
    const guide = readFileSync(new URL("../../docs/guides/schedules.md", import.meta.url), "utf8");
    const [, text = ""] = /```yaml\n([\s\S]*?)```/u.exec(guide) ?? [];
    expect([...read(text).jobs.keys()]).toEqual(["nightly"]);
  });

  test.each([
    ["a key that is none", `version: 1\njobs:\n  nightly:\n${JOB}    retry: 2\n`, /:10:5: error: `jobs\.nightly\.retry` is not a key of a file of schedules/u],
    ["a key with an underscore", `version: 1\njobs:\n  nightly:\n${JOB}    catch_up: all\n`, /remedy: Keys are written with dashes: `catch-up`/u],
    ["another version", "version: 2\njobs: {}\n", /:1:10: error: `version` must be 1/u],
    ["no jobs", "version: 1\n", /:1:1: error: `jobs` is missing/u],
    ["a name that is none", `version: 1\njobs:\n  Night!:\n${JOB}`, /`jobs\.Night!` must be a name for a job/u],
    ["a key that is missing", 'version: 1\njobs:\n  nightly:\n    cron: "0 3 * * *"\n', /:4:5: error: `jobs\.nightly\.task` is missing/u],
    ["no duration", `version: 1\njobs:\n  nightly:\n${JOB}    deadline: soon\n`, /:10:15: error: `jobs\.nightly\.deadline` must be a duration/u],
    ["another way to catch up", `version: 1\njobs:\n  nightly:\n${JOB}    catch-up: some\n`, /must be one of: skip, once, all/u],
    ["too many retries", `version: 1\njobs:\n  nightly:\n${JOB}    retries: 99\n`, /must be at most 10/u],
    ["the same name twice", `version: 1\njobs:\n  nightly:\n${JOB}  nightly:\n${JOB}`, /:10:3: error: The file is not valid YAML: Map keys must be unique/u],
    ["an invisible character", `version: 1\njobs:\n  nightly:\n${JOB.replace("tidy up", "tidy\u202eup")}`, /invisible or control character/u],
    ["no YAML", "version: [1\n", /not valid YAML/u],
  ])("is refused for %s, with line and column", (_, text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringMatching(message) }));
  });
});
