import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TEXTS: Readonly<Record<string, string>> = {
  "a.txt": "a\nb 2\nc,3\nfoo bar\n",
  "b.txt": "b\na\nx=1\n",
  "names.txt": "a.txt\nb.txt\nd/c.txt\n",
  "d/c.txt": "c\n",
  "j.json": '{"a":1,"b":[1,2]}\n',
  "x.sh": "#!/bin/sh\n:\n",
  prog: "{print}\n",
  "p.diff": "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n-a\n+z\n b 2\n",
  Makefile: "all:\n\t@cat a.txt\n",
};

/** A directory that every command gets a copy of: texts, archives, a database, with `hasRepository` a git repository. */
export function buildFixture(folder: string, hasRepository: boolean): void {
  mkdirSync(join(folder, "d"), { recursive: true });
  for (const [name, text] of Object.entries(TEXTS)) writeFileSync(join(folder, name), text, { mode: name === "x.sh" ? 0o755 : 0o644 });
  const run = (command: string, words: readonly string[]): void => void execFileSync(command, words, { cwd: folder, stdio: "ignore" });
  run("tar", ["-cf", "a.tar", "a.txt", "d"]);
  run("gzip", ["-k", "a.txt"]);
  run("python3", [
    "-c",
    "import zipfile,sqlite3;z=zipfile.ZipFile('a.zip','w');z.write('a.txt');z.close();c=sqlite3.connect('db.sqlite');c.execute('create table t(a)');c.commit()",
  ]);
  if (!hasRepository) return;
  run("git", ["init", "-q", "-b", "main", "--template="]);
  run("git", ["add", "a.txt", "d"]);
  run("git", ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "one"]);
  run("git", ["config", "user.name", "x"]);
  run("git", ["config", "user.email", "x@x"]);
}

/** Copies a fixture to where a command runs. */
export function copyFixture(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

/** The file system of the sandbox image, unpacked once below `folder`. Gives its root; null when there is no engine or no image. */
export function unpackImage(image: string, folder: string): string | null {
  const root = join(folder, image.replaceAll(/[^\w.-]/g, "-"));
  if (existsSync(join(root, "unpacked"))) return root;
  mkdirSync(root, { recursive: true });
  let container: string;
  try {
    container = execFileSync("docker", ["create", "--network=none", image, "true"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  } catch (fault) {
    console.error(`no container of ${image}: ${String(fault)}`);
    return null;
  }
  try {
    execFileSync("sh", ["-c", 'docker export "$1" | tar -x --no-same-owner --exclude=dev -C "$2"', "sh", container, root], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    execFileSync("docker", ["rm", container], { stdio: "ignore" });
  }
  for (const name of ["c", "far", "dev", "proc", "tmp"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "unpacked"), "");
  return root;
}
