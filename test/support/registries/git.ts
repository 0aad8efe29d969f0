import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A bare repository `/repository.git`, as a web server without git would serve it: a clone has a file `read-me` with `cloned`. */
export function repositoryFiles(): Record<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "warder-repository-"));
  const git = (...argv: string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...argv], { cwd: folder, stdio: "pipe" });
  git("init", "--quiet", "work");
  writeFileSync(join(folder, "work/read-me"), "cloned\n");
  git("-C", "work", "add", ".");
  git("-C", "work", "commit", "--quiet", "--message", "one");
  git("clone", "--quiet", "--bare", "work", "bare");
  git("-C", "bare", "update-server-info");
  const files: Record<string, Buffer> = {};
  for (const entry of readdirSync(join(folder, "bare"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[`/repository.git/${path.slice(folder.length + 6)}`] = readFileSync(path);
  }
  rmSync(folder, { recursive: true });
  return files;
}
