import { expect, onTestFinished, test } from "vitest";
import { createRegistry } from "../../../src/tools/registry.ts";
import { makePlace, warder } from "../../support/warder-cli.ts";

type Shown = { readonly tools: readonly { readonly name: string; readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[] }[] };

test("lists every tool, with the arguments that it takes", async () => {
  const here = makePlace();
  onTestFinished(() => {
    here.remove();
  });
  const { tools } = JSON.parse((await warder(here, ["tools", "--json"])).stdout) as Shown;
  expect(tools.map(({ name }) => name)).toEqual(createRegistry().names);
  expect(tools.find(({ name }) => name === "edit_file")?.arguments.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ["path", true],
    ["old_string", false],
    ["new_string", false],
    ["replace_all", false],
    ["insert_line", false],
    ["edits", false],
  ]);
  const { stdout, exitCode } = await warder(here, ["tools"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^edit_file.*\n {2}Replaces exact text.*\n {2}path {9}string\. File to change/mu);
  expect(stdout).toMatch(/^list_jobs\n.*\n.*\n {2}Takes no arguments\.$/mu);
  expect(stdout).toContain(
    "list_jobs\n  Lists the background jobs of this run: what each runs, whether it goes on or how it ended, and how much it printed.\n  Needs control groups",
  );
});
