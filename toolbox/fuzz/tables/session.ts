import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isolated } from "../../shared/isolated.ts";
import { buildFixture, copyFixture } from "./fixture.ts";
import type { Deeds } from "./trace.ts";
import { readTrace } from "./trace.ts";

const DRIVER = fileURLToPath(new URL("driver.pl", import.meta.url));
const NOBODY = "54321";
const CALLS =
  "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,utimensat,execve,socket,connect,chdir,fchdir";

/** Where commands run: the image's file system, read-only; what they may change is thrown away. */
export type Session = {
  /** What each command did, in the order of the commands; undefined for one that was not reached. */
  readonly run: (commands: readonly (readonly string[])[]) => Promise<(Deeds | undefined)[]>;
  readonly close: () => void;
};

/** Makes the fixtures for a session below the image's `root`. */
export function openSession(root: string): Session {
  const folder = mkdtempSync(join(tmpdir(), "table-fuzz-"));
  const plain = join(folder, "plain");
  const repository = join(folder, "repository");
  buildFixture(plain, false);
  buildFixture(repository, true);
  return {
    run: async (commands) => {
      const work = join(folder, "c");
      rmSync(work, { recursive: true, force: true });
      mkdirSync(join(work, "far"), { recursive: true });
      const lines = commands.map((argv, index) => {
        copyFixture(argv.includes("git") ? repository : plain, join(work, String(index)));
        return [String(index), ...argv.map((word) => Buffer.from(word, "utf8").toString("hex"))].join(" ");
      });
      copyFixture(plain, join(work, "far"));
      copyFileSync(DRIVER, join(work, "driver.pl"));
      writeFileSync(join(work, "list"), `${lines.join("\n")}\n`);
      if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
      const trace = join(folder, "trace");
      await runTraced(trace, { root, work });
      const deeds = readTrace(readFileSync(trace, "utf8"));
      return commands.map((_, index) => deeds.get(index));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** strace stands outside of the namespace, so nothing inside sees or escapes it. */
async function runTraced(output: string, { root, work }: { readonly root: string; readonly work: string }): Promise<void> {
  const identity = process.getuid?.() === 0 ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"] : [];
  const scratch = ["/far", "/home", "/run", "/var/tmp"].flatMap((place) => ["--tmpfs", place]);
  const environment = ["--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/home", "--setenv", "LC_ALL", "C.UTF-8"];
  const sandbox = [...isolated(["--ro-bind", root, "/"]), "--bind", work, "/c", ...scratch, ...environment];
  const words = ["-f", "-y", "-qq", "-s", "4096", "--seccomp-bpf", "-e", `trace=${CALLS}`, "-o", output];
  const child = spawn("strace", [...words, ...identity, ...sandbox, "perl", "/c/driver.pl", "/c/list"], { stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(0, 500);
  });
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) throw new Error(`the session ended with ${String(status)}: ${complaints}`);
}
