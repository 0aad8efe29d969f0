import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentError } from "../base/errors.ts";
import { runShippedScript } from "./setup/shipped-script.ts";

type Progress = { readonly signal: AbortSignal; readonly onText: (text: string) => void };

/** Lays out what the browser's image is built from, and removes it after `work`. Throws `sandbox-unavailable` where its packages cannot be had. */
export async function withBrowserContext<T>(base: string, progress: Progress, work: (directory: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "warder-browser-"));
  try {
    const { code } = await runShippedScript("browser/prepare-context.sh", [scratch, base], progress);
    if (progress.signal.aborted) throw new AgentError("usage", "It was interrupted, and no image was added.");
    if (code !== 0) throw new AgentError("sandbox-unavailable", "The packages of the browser could not be fetched, and no image was added.");
    return await work(join(scratch, "context"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
