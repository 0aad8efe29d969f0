import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { sandboxFile, type SandboxFile } from "../../sandbox/shipped-files.ts";

type ShippedScript = Extract<SandboxFile, `${string}.sh`>;

/** Runs a script of the package's `sandbox/` folder, with the Node.js that runs this first on PATH: npm, which brings the image's own, lies beside it. */
export async function runShippedScript(
  file: ShippedScript,
  argv: readonly string[],
  { signal, onText }: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
): Promise<{ readonly code: number | null }> {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"] ?? "/usr/bin:/bin", "/usr/sbin", "/sbin"].join(delimiter) };
  const child = spawn("sh", [sandboxFile(file), ...argv], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const stop = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", stop, { once: true });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onText);
  try {
    const code = await new Promise<number | null>((ended, failed) => {
      child.once("error", failed);
      child.once("close", ended);
    });
    return { code };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
