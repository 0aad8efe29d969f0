import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../support/run-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PROGRAMS = ["sh", "dirname", "mkdir", "flock", "sha256sum", "cut", "cat", "id", "date", "touch", "wc", "tail", "find", "sort", "uname", "readlink", "rm"];

/** Runs the first steps of setup in a copy without its sources, as an account that is not root and with nothing but `programs` on PATH. */
function setup(programs: Readonly<Record<string, string>>): { readonly code: number | null; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "warder-setup-"));
  onTestFinished(() => {
    removeFolder(folder);
  });
  for (const part of ["scripts", "sandbox/build", "bin"]) mkdirSync(join(folder, part), { recursive: true });
  cpSync(join(ROOT, "scripts"), join(folder, "scripts"), { recursive: true });
  for (const file of ["Dockerfile", "packages.txt", "install-packages.sh", "build-image.sh"])
    cpSync(join(ROOT, "sandbox", file), join(folder, "sandbox", file));
  for (const name of PROGRAMS) {
    const path = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    symlinkSync(path, join(folder, "bin", name));
  }
  const id = "#!/bin/sh\ncase $1 in -u) echo 1234 ;; -un) echo ann ;; -Gn) echo ann users ;; esac\n";
  for (const [name, text] of Object.entries({ ...programs, id })) {
    const path = join(folder, "bin", name);
    rmSync(path, { force: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }
  // The script adds the places of daemons to PATH, where this machine has what the test leaves out.
  const environment = readFileSync(join(ROOT, "scripts/environment.sh"), "utf8");
  writeFileSync(join(folder, "scripts/environment.sh"), environment.replace(/^PATH=\$PATH:\/usr\/local\/sbin.*$/mu, ""));
  const run = spawnSync(join(folder, "bin/sh"), ["scripts/setup"], { cwd: folder, encoding: "utf8", env: { PATH: join(folder, "bin") } });
  return { code: run.status, stderr: run.stderr };
}

describe("scripts/setup of an account that is not root", () => {
  test("says in one message what needs root, before it does anything", () => {
    const { code, stderr } = setup({ "apt-get": "#!/bin/sh\n", "apt-cache": "#!/bin/sh\nexit 1\n" });
    expect(stderr).toMatch(/^setup: some things need root, once\. Type this, then run scripts\/setup again:\n/u);
    expect(stderr).toContain("  sudo apt-get install --yes npm docker.io\n");
    expect(stderr).toContain("  sudo usermod --append --groups docker ann");
    expect(code).toBe(78);
  });

  test("says nothing of the engine when it answers", () => {
    const { stderr } = setup({ "apt-get": "#!/bin/sh\n", docker: "#!/bin/sh\necho 20.10\n" });
    expect(stderr).toContain("  sudo apt-get install --yes npm\n");
    expect(stderr).not.toContain("usermod");
  });
});
