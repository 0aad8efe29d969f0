import { spawnSync } from "node:child_process";
import { isAbsolute } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { appendLine } from "../../store/files/append-line.ts";

/** Where Warder sends a line that is kept or read elsewhere: a file that is only appended to, the system log, or a program's standard input. */
export type Sink =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "syslog"; /** The socket of a log of one's own; null: the system's. */ readonly socket: string | null }
  | { readonly kind: "command"; readonly argv: readonly string[] };

const COMMAND_TIMEOUT_MS = 10_000;
// Without that option logger(1) ends with 0 when there is no log that takes the line.
const LOGGER = ["logger", "--socket-errors=on", "--tag", "warder", "--priority", "authpriv.notice"];

/** Parses `file:/ABSOLUTE/PATH`, `syslog:`, `syslog:/ABSOLUTE/SOCKET` or `command:/ABSOLUTE/PROGRAM ARGUMENTS` (split at spaces). Throws `usage`. */
export function readSink(text: string): Sink {
  const [, kind, rest = ""] = /^(file|syslog|command):(.*)$/su.exec(text) ?? [];
  if (kind === "syslog" && (rest === "" || isAbsolute(rest))) return { kind, socket: rest === "" ? null : rest };
  if (kind === "file" && isAbsolute(rest)) return { kind, path: rest };
  const argv = rest.split(" ").filter((word) => word !== "");
  if (kind === "command" && isAbsolute(argv[0] ?? "")) return { kind, argv };
  throw new AgentError("usage", `${JSON.stringify(text)} is no place to send to. Write file:/ABSOLUTE/PATH, syslog: or command:/ABSOLUTE/PROGRAM ARGUMENTS.`);
}

/**
 * Sends a value as one line of JSON. A program is started in `/`, with `path` as its PATH. Throws `audit-unavailable` if it did not arrive: what must be kept elsewhere is never lost silently.
 */
export function sendTo(sink: Sink, value: unknown, path = process.env["PATH"] ?? ""): void {
  const line = JSON.stringify(value);
  if (sink.kind === "file") return addLine(sink.path, line);
  const [program = "", ...words] = sink.kind === "syslog" ? [...LOGGER, ...(sink.socket === null ? [] : ["--socket", sink.socket])] : sink.argv;
  const ended = spawnSync(program, words, {
    cwd: "/",
    env: { ...process.env, PATH: path },
    input: `${line}\n`,
    timeout: COMMAND_TIMEOUT_MS,
    stdio: ["pipe", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (ended.error === undefined && ended.status === 0) return;
  const why =
    ended.error?.message ??
    (ended.status === null ? `it was ended by ${String(ended.signal)}` : `exit code ${ended.status}: ${ended.stderr.trim().slice(0, 400)}`);
  throw new AgentError("audit-unavailable", `${program} did not take what was sent to it: ${why}.`);
}

function addLine(path: string, line: string): void {
  try {
    appendLine(path, line);
  } catch (error) {
    const why = error instanceof AgentError ? error.message : `${error instanceof Error ? error.message : "unknown fault"}.`;
    throw new AgentError("audit-unavailable", `${path} cannot be written: ${why}`, { cause: error });
  }
}
