import { EXIT } from "./exit-code.ts";

/**
 * Watches the output. When the reader of standard output went away (`warder audit tail | head`) or it cannot be written (a full disk), a
 * run is interrupted as by Ctrl-C, so that its sandbox is closed and the log says how it ended; a command without
 * a run ends at once. What cannot be written ends with a message and exit code 1. A reader that went away is no fault, and no
 * answer either: a command that came to its end keeps its exit code, so that a denial nobody read is none less, and any other was interrupted.
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
