import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";

/** What `--policy` takes. */
export const POLICY_HELP = "policy file, or the name of a shipped policy (read-only, reviewed, supervised, operator, unattended)";

/** The lines behind a help: what a person would type. */
export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

/** The same for a group of commands; `bare` is the command that it is without one. */
export function groupHelp(line: string, bare?: string): string {
  return `${bare === undefined ? "" : `\nWithout a command it is \`${bare}\`.\n`}${example(line)}`;
}

/** Behind the help of the program: what scripts rely on, and where the state lies. */
export const PROGRAM_HELP = `
Exit codes:
  0    done
  1    the task or command failed
  2    usage
  3    denied by policy, also an ask when nobody can be asked, and a run that came to nothing after refusals
  4    parked, waits for a person
  5    budget spent
  6    sandbox unavailable
  10   policy diff: it only tightens
  11   policy diff: it widens
  12   policy diff: it may widen
  78   bad policy or configuration
  130  interrupted

State lies in $WARDER_HOME, else in $XDG_STATE_HOME/warder, else in ~/.local/state/warder.
${example('warder run --model anthropic:claude-sonnet-4-5 "fix the failing test"')}`;

/** The version in package.json, which lies as far above `src/cli/program` as above `dist/cli/program`. */
export function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(fileURLToPath(new URL("../../../package.json", import.meta.url)), "utf8")) as { version: string };
  return manifest.version;
}

/** Has each command say its mistakes as the rest of the program does, and name its own help. Once, when all commands are there. */
export function sayMistakes(program: Command, path = program.name()): void {
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /u, "warder: ")) }).showHelpAfterError(`See: ${path} --help`);
  refuseUnknownWord(program);
  for (const command of program.commands) sayMistakes(command, `${path} ${command.name()}`);
}

/** A group that is one of its commands without a word would take a misspelt command for a word of that one. */
function refuseUnknownWord(group: Command): void {
  group.hook("preSubcommand", (_group, command) => {
    const [word] = group.args;
    if (word === undefined || word.startsWith("-") || word === command.name()) return;
    const known = group.commands.map((each) => each.name()).join(", ");
    group.error(`error: unknown command '${word}'; there are: ${known}`, { code: "commander.unknownCommand" });
  });
}
