import { execFile, execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipsWithoutDocker } from "./support/docker.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
/** The npm beside the Node.js that runs this, so that the shebang of a package's program finds the same Node.js. */
const env: Record<string, string | undefined> = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

/** A Node.js of the machine that is too old for Warder, where there is one. */
const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const version = existsSync(path) ? spawnSync(path, ["--version"], { encoding: "utf8" }).stdout : "";
  return /^v(?:1\d|2[0-3])\./u.test(version);
});

describe("the packed tarball", () => {
  let folder = "";
  let names: readonly string[] = [];
  const warder = (argv: readonly string[], input = ""): { readonly code: number | null; readonly stdout: string; readonly stderr: string } => {
    const run = spawnSync(join(folder, "node_modules/.bin/warder"), argv, {
      cwd: join(folder, "workspace"),
      input,
      encoding: "utf8",
      env: { ...env, WARDER_HOME: join(folder, "state") },
      timeout: 600_000,
    });
    return { code: run.status, stdout: run.stdout, stderr: run.stderr };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-package-"));
    mkdirSync(join(folder, "workspace"));
    // The compiler checks all types in CI's own step.
    execFileSync("npm", ["run", "build", "--", "--noCheck"], { cwd: root, env, stdio: "pipe" });
    execFileSync("npm", ["pack", "--pack-destination", folder, "--ignore-scripts"], { cwd: root, env, stdio: "pipe" });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    names = execFileSync("tar", ["--list", "--gzip", "--file", join(folder, tarball)], { encoding: "utf8" })
      .trim()
      .split("\n");
    writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
    // As scripts/setup does: without their scripts npm compiles nothing that comes prebuilt.
    execFileSync("npm", ["install", "--prefer-offline", "--ignore-scripts", `./${tarball}`], { cwd: folder, env, stdio: "pipe" });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("holds what runs, and neither sources, tests nor this machine's image names", () => {
    expect(names).toEqual(
      expect.arrayContaining([
        "package/dist/cli/main.js",
        "package/dist/quick/check.cjs",
        "package/dist/playground.html",
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
    // What is needed at run time brings this one, too.
    const brought = new Set(["@noble/hashes"]);
    const installed = Object.keys(devDependencies).filter((name) => existsSync(join(folder, "node_modules", name)) && !name.startsWith("@types/"));
    expect(installed.filter((name) => !brought.has(name))).toEqual([]);
  });

  test("runs --help from an empty folder", () => {
    const { code, stdout } = warder(["--help"]);
    expect(stdout).toContain("Usage: warder");
    expect(code).toBe(0);
  });

  test("answers other agents from the bundle, as the modules do, and keeps what it read of a policy", () => {
    const own = join(folder, "own.yaml");
    writeFileSync(own, "version: 1\nname: own\nextends: supervised\n");
    const asked = (): string => warder(["check", "--policy", own, "--jsonl"], '{"id":"1","command":"rm -rf build"}\n').stdout;
    mkdirSync(join(folder, "state"), { recursive: true, mode: 0o700 });
    const [first, second] = [asked(), asked()];
    const quick = join(folder, "node_modules/warder/dist/quick");
    renameSync(quick, `${quick}.away`);
    const slow = asked();
    renameSync(`${quick}.away`, quick);
    expect([first, second]).toEqual([slow, slow]);
    expect(readdirSync(join(folder, "state/readings"))).toHaveLength(1);
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

  test("can be told where its image is made, and says what is missing in two lines", () => {
    const { code, stderr } = warder(["exec", "--policy", "supervised", "--", "ls"]);
    // Without an engine it is the engine that is missing.
    expect(stderr).toMatch(/^warder: .*(?:sandbox image is not on this machine yet|Docker).*\n {2}.*warder setup.*\n$/u);
    expect(code).toBe(6);
    expect(names).toEqual(expect.arrayContaining(["package/sandbox/build/warder-supervisor", "package/sandbox/build/warder-host"]));
  });

  test.skipIf(skipsWithoutDocker())("makes its image with the shipped scripts, saves it, and loads it on a machine that has none", () => {
    const own = readFileSync(join(root, "sandbox/build/image-id"), "utf8").trim();
    // A base that is there already, so that nothing is pulled or downloaded. Its name goes into the tag: no other image is touched.
    env["WARDER_SANDBOX_BASE"] = own;
    const made = warder(["setup"]);
    const tag = /warder-sandbox:[0-9a-f]{12}/u.exec(made.stdout)?.[0] ?? "";
    try {
      expect(made.stdout, made.stderr).toMatch(/^Ready: warder-sandbox:[0-9a-f]{12} \(sha256:[0-9a-f]{12}\)\. Next: warder doctor\n$/u);
      expect(warder(["exec", "--policy", "supervised", "--", "ls"]).code).toBe(0);
      const file = join(folder, "image.tar");
      const digest = / --digest (sha256:[0-9a-f]{64})\n$/u.exec(warder(["setup", "--save-image", file]).stdout)?.[1] ?? "";
      rmSync(join(folder, "state/sandbox"), { recursive: true });
      const other = warder(["setup", "--image-file", file, "--digest", `sha256:${"0".repeat(64)}`]);
      expect(other.stderr).toContain("Nothing was loaded");
      expect(warder(["exec", "--policy", "supervised", "--", "ls"]).code).toBe(6);
      expect(warder(["setup", "--image-file", file, "--digest", digest]).stdout).toContain(`Ready: ${tag}`);
      expect(warder(["exec", "--policy", "supervised", "--", "ls"]).code).toBe(0);
    } finally {
      delete env["WARDER_SANDBOX_BASE"];
      if (tag !== "") execFileSync("docker", ["image", "rm", tag], { stdio: "ignore" });
    }
  });

  test.skipIf(oldNode === undefined)("says on an older Node.js which one it needs: as a program, and as a library", () => {
    const said = /Warder needs Node\.js 24 or newer, this is \d+\.\d+\.\d+\./u;
    const run = (argv: readonly string[]): { readonly status: number | null; readonly stderr: string } =>
      spawnSync(oldNode ?? "", argv, { cwd: folder, encoding: "utf8" });
    const program = run([join(folder, "node_modules/.bin/warder"), "exec", "--", "ls"]);
    expect(program.stderr).toMatch(new RegExp(`^warder: ${said.source}\n$`, "u"));
    expect(program.status).toBe(78);
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly exports: Readonly<Record<string, unknown>> };
    const paths = Object.keys(exports).map((path) => path.replace(".", "warder"));
    expect(paths).toContain("warder/agent");
    const { scripts } = JSON.parse(readFileSync(join(folder, "node_modules/warder/package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    // npm runs it before any script of what Warder depends on.
    const preinstall = (node: string): unknown => {
      const { status, stderr } = spawnSync("sh", ["-c", scripts["preinstall"] ?? ""], {
        encoding: "utf8",
        env: { PATH: `${dirname(node)}:${env["PATH"] ?? ""}` },
      });
      return { status, stderr };
    };
    expect(preinstall(oldNode ?? "")).toEqual({ status: 1, stderr: expect.stringMatching(said) });
    expect(preinstall(process.execPath)).toEqual({ status: 0, stderr: "" });
    for (const path of paths) expect(run(["--input-type=module", "--eval", `await import("${path}")`]).stderr, path).toMatch(said);
  });

  test("has types for the examples of the library, without one that is unknown", () => {
    cpSync(join(root, "examples/library"), join(folder, "examples/library"), { recursive: true });
    const compilerOptions = {
      module: "nodenext",
      target: "es2024",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      // As `tsc --init` writes it.
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    writeFileSync(join(folder, "examples/package.json"), '{ "type": "module" }\n');
    writeFileSync(join(folder, "examples/tsconfig.json"), JSON.stringify({ compilerOptions, include: ["library"] }));
    // `0 extends 1 & T` holds for `any` alone.
    writeFileSync(
      join(folder, "examples/library/any.ts"),
      `import type * as warder from "warder";
import { createAgent } from "warder/agent";
import { loadPolicy } from "warder/policy";
import { defineTool } from "warder/tools";
type IsAny<T> = 0 extends 1 & T ? true : false;
type Event = warder.AgentEvent;
type Spec = Required<warder.AgentSpec>;
export const areAny: readonly false[] = [
  false as IsAny<Event>, false as IsAny<Event["kind"]>, false as IsAny<Spec[keyof Spec]>, false as IsAny<Spec["tools"][number]["schema"]>,
  false as IsAny<Spec["tools"]>, false as IsAny<Spec["hooks"]>, false as IsAny<Spec["approvals"]>, false as IsAny<Spec["model"]>,
  false as IsAny<typeof createAgent>, false as IsAny<ReturnType<typeof loadPolicy>>, false as IsAny<typeof defineTool>,
  false as IsAny<warder.Agent["policy"]>, false as IsAny<warder.AgentRunResult["summary"]>, false as IsAny<warder.AgentRunResult["end"]>,
];
`,
    );
    const checked = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", join(folder, "examples")], { encoding: "utf8" });
    expect([checked.status, checked.stdout], checked.stderr).toEqual([0, ""]);
  });

  test.skipIf(skipsWithoutDocker())("runs the five examples of the library", async () => {
    cpSync(join(root, "examples/library"), join(folder, "examples/library"), { recursive: true });
    cpSync(join(root, "examples/demo/repository"), join(folder, "examples/demo/repository"), { recursive: true });
    // As if `warder setup` had made the image, which is another test's.
    const imageRecord = join(folder, "library-state/sandbox");
    mkdirSync(imageRecord, { recursive: true });
    for (const name of ["image-id", "image-tag"]) copyFileSync(join(root, "sandbox/build", name), join(imageRecord, name));
    const said: Readonly<Record<string, RegExp>> = {
      tool: /^There are seven lamps\.\n$/u,
      events: /^I read the code\.\nread_file: allow\n[^]*shell: deny\n[^]*It is fixed, and not pushed\.\nchanged: src\/prices\.js\n$/u,
      approvals: /^asked: rm README\.md\nasked: rm -r src\nThe README is gone, and the code is kept\.\nchanged: README\.md\n$/u,
      hooks: /Denied by hook no-tests: Tests are not for agents\.[^]*It has one function, linePrice\.\nThere is one function\.\n$/u,
      stop: /^cancelled, cancelled\n$/u,
    };
    expect(readdirSync(join(root, "examples/library")).filter((name) => name.endsWith(".ts"))).toEqual(
      Object.keys(said)
        .map((name) => `${name}.ts`)
        .toSorted(),
    );
    const ran = await Promise.all(
      Object.keys(said).map(async (name) => {
        const { stdout } = await promisify(execFile)(process.execPath, [`${name}.ts`], {
          cwd: join(folder, "examples/library"),
          env: { ...env, WARDER_HOME: join(folder, "library-state") },
          timeout: 600_000,
        });
        return [name, stdout] as const;
      }),
    );
    for (const [name, stdout] of ran) expect(stdout, name).toMatch(said[name] ?? /^$/u);
  });

  test("can be imported as a library, with types", () => {
    const names = 'for (const path of ["", "/agent", "/policy", "/tools"]) console.log(Object.keys(await import(`warder${path}`)).sort().join(" "))';
    const imported = spawnSync(process.execPath, ["--input-type=module", "--eval", names], { cwd: folder, encoding: "utf8" });
    const [all = "", ...parts] = imported.stdout.trim().split("\n");
    expect(all.split(" "), imported.stderr).toEqual(["AgentError", ...parts.flatMap((part) => part.split(" "))].toSorted());
    expect(parts.map((part) => part.includes("defineTool"))).toEqual([false, false, true]);
    expect(existsSync(join(folder, "node_modules/warder/dist/index.d.ts"))).toBe(true);
  });
});
