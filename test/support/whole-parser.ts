import type { Command } from "commander";
import { buildProgram } from "../../src/cli/program/program.ts";

/** What the whole command line's parser makes of words for one command, as `read` gives its argument and options; null when it refuses them, shows a help, or they are for another command. */
export function readWhole(name: string, argv: readonly string[], read: (argument: string | undefined, options: object) => unknown): unknown {
  const program = buildProgram(() => {});
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  let found: unknown = null;
  const all: readonly Command[] = [program, command, ...command.commands];
  for (const each of all) each.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const each of command.commands) each.action(() => {});
  command.action((argument: string | undefined, options: object) => {
    found = read(argument, options);
  });
  try {
    program.parse(["node", "warder", ...argv]);
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("commander.")) return null;
    throw error;
  }
  return found;
}
