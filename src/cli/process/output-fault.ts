import { EXIT } from "./exit-code.ts";

/**
 * Watches the output. If the reader of standard output goes away (`warder audit tail | head`) or a write fails (a full disk), a run is interrupted as by
 * Ctrl-C: its sandbox is closed, and the log says how it ended. A command without a run ends at once. A failed write ends with a message and exit code
 * 1. A reader that goes away is no error: a command that was done keeps its exit code (a denial stays one), any other counts as interrupted.
 */
export function watchOutput(): void {
  let fault: string | null = null;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (fault !== null) return;
    fault = error.code ?? error.name;
    if (fault === "EPIPE") process.exitCode ??= EXIT.interrupted;
    else {
      process.exitCode = EXIT.failed;
      process.stderr.write(`warder: The output cannot be written: ${fault}.\n`);
    }
    if (!process.emit("SIGTERM")) process.exit();
  });
  // Messages that nobody reads change nothing: the exit code says how it ended. Without a listener Node.js would end the process here.
  process.stderr.on("error", () => undefined);
}
