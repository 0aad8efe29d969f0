import { spawn } from "node:child_process";
import { createScreen } from "./screen.ts";
import { exitCodeOf, until } from "./until.ts";
import { type Place, WARDER } from "./warder-cli.ts";

export type TerminalSession = {
  /** Everything the terminal showed so far. */
  screen(): string;
  /** What stands on its screen now, of 80 by 24: the rows from top to bottom. */
  rows(): readonly string[];
  /** Resolves when the screen matches. */
  shows(pattern: RegExp): Promise<void>;
  /** The same, and what matched. */
  shown(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  readonly ended: Promise<number | null>;
};

const COLUMNS = 80;
const ROWS = 24;

/** Runs the command line at a real pseudo-terminal (util-linux `script`), as a person would. */
export function warderAtTerminal(place: Place, argv: readonly string[], environment: Readonly<Record<string, string>> = {}): TerminalSession {
  const command = `stty cols ${COLUMNS} rows ${ROWS}; ${[WARDER, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")}`;
  const env = { ...process.env, HOME: place.home, WARDER_HOME: place.state, NO_COLOR: "1", TERM: "dumb", ...environment };
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", command, "/dev/null"], {
    cwd: place.workspace,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let hasEnded = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  child.on("close", () => (hasEnded = true));
  const shows = async (pattern: RegExp): Promise<void> => {
    const isThere = (): boolean => pattern.test(screen) || hasEnded;
    await until(`${argv.join(" ")} shows ${String(pattern)}`, isThere).catch(() => undefined);
    if (!pattern.test(screen)) throw new Error(`the terminal never showed ${String(pattern)}; it showed:\n${screen}`);
  };
  return {
    screen: () => screen,
    rows: () => {
      const shown = createScreen(COLUMNS, ROWS);
      shown.write(screen);
      return shown.rows();
    },
    shows,
    shown: async (pattern) => {
      await shows(pattern);
      return pattern.exec(screen) as RegExpExecArray;
    },
    type: (text) => void child.stdin.write(text),
    get ended() {
      return exitCodeOf(child, () => screen);
    },
  };
}
