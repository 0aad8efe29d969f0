import { EXIT } from "./exit-code.ts";

/**
 * Watches standard output. When its reader went away (`warder audit tail | head`) or it cannot be written (a full disk), a
 * run is interrupted as by Ctrl-C, so that its sandbox is closed and the log says how it ended; a command without
 * a run ends at once. A reader that went away is no fault; anything else ends with a message and exit code 1.
 */
export function watchOutput(): void {
  let fault: string | null = null;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (fault !== null) return;
    fault = error.code ?? error.name;
    process.exitCode = fault === "EPIPE" ? EXIT.done : EXIT.failed;
    if (fault !== "EPIPE") process.stderr.write(`warder: The output cannot be written: ${fault}.\n`);
    if (!process.emit("SIGTERM")) process.exit();
  });
}
