import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** The npm beside the Node.js that runs this, so that the shebang of a package's program finds the same Node.js. */
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

describe("the packed tarball", () => {
  let folder = "";
  let names: readonly string[] = [];
  const warder = (argv: readonly string[], input = ""): { readonly code: number | null; readonly stdout: string; readonly stderr: string } => {
    const run = spawnSync(join(folder, "node_modules/.bin/warder"), argv, {
      cwd: join(folder, "workspace"),
      input,
      encoding: "utf8",
      env: { ...env, WARDER_HOME: join(folder, "state") },
      timeout: 200_000,
    });
    return { code: run.status, stdout: run.stdout, stderr: run.stderr };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-package-"));
    mkdirSync(join(folder, "workspace"));
    execFileSync("npm", ["run", "build"], { cwd: root, env, stdio: "pipe" });
    execFileSync("npm", ["pack", "--pack-destination", folder, "--ignore-scripts"], { cwd: root, env, stdio: "pipe" });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    names = execFileSync("tar", ["--list", "--gzip", "--file", join(folder, tarball)], { encoding: "utf8" })
      .trim()
      .split("\n");
    writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
    // As scripts/setup does: without their scripts npm compiles nothing that comes prebuilt.
    execFileSync("npm", ["install", "--prefer-offline", "--ignore-scripts", `./${tarball}`], { cwd: folder, env, stdio: "pipe" });
  }, 300_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("holds what runs, and neither sources, tests nor this machine's image names", () => {
    expect(names).toEqual(
      expect.arrayContaining([
        "package/dist/cli/main.js",
        "package/dist/index.js",
        "package/policies/supervised.yaml",
        "package/LICENSE",
        "package/README.md",
        "package/sandbox/build-image.sh",
      ]),
    );
    expect(names.filter((name) => /^package\/(?:src|test|scripts|toolbox|examples)\/|sandbox\/build\/image-|\.stamp$/.test(name))).toEqual([]);
  });

  test("installs no development dependency", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { devDependencies: Record<string, string> };
    expect(Object.keys(devDependencies).filter((name) => existsSync(join(folder, "node_modules", name)) && !name.startsWith("@types/"))).toEqual([]);
  });

  test("runs --help from an empty folder", () => {
    const { code, stdout } = warder(["--help"]);
    expect(stdout).toContain("Usage: warder");
    expect(code).toBe(0);
  });

  test("gives a verdict by a shipped policy", () => {
    const { stdout, stderr } = warder(["check", "--policy", "supervised", "--jsonl"], '{"id":"1","command":"ls"}\n{"id":"2","command":"cat /etc/shadow"}\n');
    const verdicts = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; decision: string });
    expect(
      verdicts.map(({ id, decision }) => `${id} ${decision}`),
      stderr,
    ).toEqual(["1 allow", "2 deny"]);
  });

  test("can be imported as a library, with types", () => {
    const imported = spawnSync(process.execPath, ["--input-type=module", "--eval", 'console.log(Object.keys(await import("warder")).length > 0)'], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(imported.stdout.trim(), imported.stderr).toBe("true");
    expect(existsSync(join(folder, "node_modules/warder/dist/index.d.ts"))).toBe(true);
  });
});
