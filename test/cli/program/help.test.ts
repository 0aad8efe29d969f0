import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/process/exit-code.ts";
import { buildProgram } from "../../../src/cli/program/program.ts";

type End = { readonly out: string; readonly said: string; readonly isMistake: boolean };

const everyCommand = (command: Command, path = command.name()): readonly [string, Command][] => [
  [path, command],
  ...command.commands.flatMap((each) => everyCommand(each, `${path} ${each.name()}`)),
];

/** What the command line writes about `argv` where no command is carried out, and whether it takes them for a mistake. */
async function written(argv: readonly string[]): Promise<End> {
  const program = buildProgram(() => {});
  let out = "";
  let said = "";
  for (const [, command] of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (said += text) });
  }
  const fault = await program.parseAsync(["node", "warder", ...argv]).then(
    () => null,
    (error: unknown) => error as { exitCode?: number },
  );
  return { out, said, isMistake: fault !== null && fault.exitCode !== 0 };
}

const paths = everyCommand(buildProgram(() => {})).map(([path]) => path);

describe("the help", () => {
  test.each(paths)("of %s has an example of it", async (path) => {
    const { out } = await written([...path.split(" ").slice(1), "--help"]);
    expect(out).toContain(`Usage: ${path}`);
    expect(out).toMatch(new RegExp(`\nExample:\n {2}\\$ ${path}`, "u"));
  });

  test("of the program says every exit code", async () => {
    const { out } = await written(["--help"]);
    for (const code of Object.values(EXIT)) expect(out).toMatch(new RegExp(`^ {2}${code} `, "mu"));
  });
});

test("the version is the package's", async () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "..", "package.json"), "utf8")) as { version: string };
  expect((await written(["--version"])).out).toBe(`${manifest.version}\n`);
});

describe("a mistake in the words", () => {
  test.each([
    [["schedule", "add", "x"], "warder: required option '--cron <expression>' not specified\nSee: warder schedule add --help\n"],
    [["run", "--nosuch"], "warder: unknown option '--nosuch'\nSee: warder run --help\n"],
    [["image", "rm"], "warder: unknown command 'rm'; there are: add, list, remove\nSee: warder image --help\n"],
    [["audit", "list"], "warder: unknown command 'list'; there are: tail, verify, show, export, archive, checkpoint\nSee: warder audit --help\n"],
  ])("%j is said with where to look", async (argv, said) => {
    expect(await written(argv)).toEqual({ out: "", said, isMistake: true });
  });
});
