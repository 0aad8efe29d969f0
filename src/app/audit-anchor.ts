import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Checkpoint } from "../audit/checkpoint.ts";
import { AgentError } from "../base/errors.ts";

/** Where checkpoints go: a file that is only added to, the system's log, or a program that reads them from standard input. */
export type Anchor =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "syslog" }
  | { readonly kind: "command"; readonly argv: readonly string[] };

const COMMAND_TIMEOUT_MS = 10_000;

/** Reads `file:/ABSOLUTE/PATH`, `syslog:` or `command:/ABSOLUTE/PROGRAM ARGUMENTS` (divided at spaces). Throws `bad-configuration`. */
export function readAnchor(text: string): Anchor {
  const [, kind, rest = ""] = /^(file|syslog|command):(.*)$/su.exec(text) ?? [];
  if (kind === "syslog" && rest === "") return { kind };
  if (kind === "file" && isAbsolute(rest)) return { kind, path: rest };
  const argv = rest.split(" ").filter((word) => word !== "");
  if (kind === "command" && isAbsolute(argv[0] ?? "")) return { kind, argv };
  throw new AgentError(
    "bad-configuration",
    `The audit anchor ${JSON.stringify(text)} is none. Write file:/ABSOLUTE/PATH, syslog: or command:/ABSOLUTE/PROGRAM ARGUMENTS.`,
  );
}

/** Sends a checkpoint. Throws `audit-unavailable` when it did not arrive: what cannot be anchored must not go on unseen. */
export function anchorCheckpoint(anchor: Anchor, checkpoint: Checkpoint): void {
  const line = `${JSON.stringify(checkpoint)}\n`;
  if (anchor.kind === "file") return appendLine(anchor.path, line);
  const [program = "", ...words] = anchor.kind === "syslog" ? ["logger", "--tag", "warder-audit", "--priority", "authpriv.notice"] : anchor.argv;
  const ended = spawnSync(program, words, { input: line, timeout: COMMAND_TIMEOUT_MS, stdio: ["pipe", "ignore", "pipe"], encoding: "utf8" });
  if (ended.error === undefined && ended.status === 0) return;
  const why =
    ended.error?.message ??
    (ended.status === null ? `it was ended by ${String(ended.signal)}` : `exit code ${ended.status}: ${ended.stderr.trim().slice(0, 400)}`);
  throw new AgentError("audit-unavailable", `The audit anchor ${program} did not take the checkpoint: ${why}.`);
}

function appendLine(path: string, line: string): void {
  try {
    const file = openSync(path, "a", 0o600);
    try {
      writeFileSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new AgentError("audit-unavailable", `The audit anchor ${path} cannot be written: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
    });
  }
}
