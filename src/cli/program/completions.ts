import { Argument, type Command } from "commander";
import { example } from "./help.ts";

/** `warder completions SHELL`: what a shell reads to complete commands and options. Added last, for it knows the others. */
export function addCompletions(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("completions")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash"]))
    .description("print a completion script for a shell")
    .addHelpText("after", example("warder completions bash > ~/.local/share/bash-completion/completions/warder"))
    .action(() => {
      process.stdout.write(completionScript(program));
      setExitCode(0);
    });
}

/** A script for bash 4 and later. Words of the command line choose among fixed lists, and nothing of them is evaluated. */
export function completionScript(program: Command): string {
  const lists = listsOf(program, "");
  const paths = lists.flatMap(([path]) => (path === "" ? [] : [`"${path}"`]));
  return [
    "_warder() {",
    '  local words="" path="" index word',
    "  for ((index = 1; index < COMP_CWORD; index += 1)); do",
    '    word="${COMP_WORDS[index]}"',
    '    case "$path $word" in',
    `      ${paths.join(" | ")}) path="$path $word" ;;`,
    "    esac",
    "  done",
    '  case "$path" in',
    ...lists.map(([path, words]) => `    "${path}") words="${words.join(" ")}" ;;`),
    "  esac",
    '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")',
    "}",
    "complete -o default -F _warder warder",
    "",
  ].join("\n");
}

/** Each command by its path (`""`, `" audit"`, `" audit tail"`), with what may follow it: commands, and options that begin with two dashes. */
function listsOf(command: Command, path: string): readonly (readonly [string, readonly string[]])[] {
  const { commands, options } = command;
  const words = [...commands.map((each) => each.name()), ...options.flatMap(({ long }) => long ?? []), "--help"];
  return [[path, words], ...commands.flatMap((each) => listsOf(each, `${path} ${each.name()}`))];
}
