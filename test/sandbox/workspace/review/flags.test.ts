import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Change } from "../../../../src/sandbox/runtime.ts";
import { flagsOf, flagsOrFault } from "../../../../src/sandbox/workspace/review/flags.ts";
import { hostExecuted } from "../../../../src/sandbox/workspace/review/host-executed.ts";
import { createSecretScan } from "../../../../src/sandbox/workspace/files/secret-scan.ts";
import { openTree } from "../../../../src/sandbox/workspace/files/tree.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "warder-flags-"));
  for (const name of ["upper", "lower"]) mkdirSync(join(top, name));
});
afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

const KNOWN = new Map([["DEPLOY_TOKEN", "correct-horse-battery"]]);

function put(layer: "upper" | "lower", path: string, content: string): void {
  const file = join(top, layer, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function flags(path: string, change: Partial<Change> = {}): readonly string[] {
  const layers = { upper: openTree(join(top, "upper")), lower: openTree(join(top, "lower")) };
  try {
    const whole: Change = { path, kind: "modified", type: "file", size: 1, mode: 0o644, ...change };
    return flagsOf(whole, join(top, "lower"), layers, createSecretScan(KNOWN)).map((flag) => flag.kind);
  } finally {
    closeSync(layers.upper);
    closeSync(layers.lower);
  }
}

describe("what programs of the host execute is flagged", () => {
  test.each([
    [".husky/pre-commit", "git-hook"],
    [".pre-commit-config.yaml", "git-hook"],
    ["hooks/pre-commit", "git-hook"],
    ["tools/git-hooks/post-checkout", "git-hook"],
    [".hooks/pre-push", "git-hook"],
    [".gitmodules", "submodule"],
    [".github/workflows/release.yml", "ci-workflow"],
    ["sub/.GitHub/Workflows/release.yml", "ci-workflow"],
    [".gitlab-ci.yml", "ci-workflow"],
    ["Jenkinsfile", "ci-workflow"],
    [".circleci/config.yml", "ci-workflow"],
    [".bashrc", "shell-startup"],
    [".envrc", "directory-environment"],
    [".env.local", "environment-file"],
    [".vscode/tasks.json", "editor-settings"],
    [".idea/workspace.xml", "editor-settings"],
    ["AGENTS.md", "agent-settings"],
    ["docs/CLAUDE.md", "agent-settings"],
    [".cursor/rules/a.mdc", "agent-settings"],
    [".mcp.json", "agent-settings"],
    [".devcontainer/devcontainer.json", "development-container"],
    ["Dockerfile", "development-container"],
    [".npmrc", "package-configuration"],
    ["Makefile", "build-file"],
    ["lib/CMakeLists.txt", "build-file"],
    ["vite.config.ts", "build-file"],
    ["setup.py", "build-file"],
    ["metro.config.js", "build-file"],
    ["docs/unocss.config.mts", "build-file"],
    ["wdio.conf.js", "build-file"],
    [".lintstagedrc.cjs", "git-hook"],
    [".releaserc.mjs", "build-file"],
    [".luacheckrc", "build-file"],
    ["pylintrc", "build-file"],
    ["rust-toolchain.toml", "build-file"],
    [".irbrc", "shell-startup"],
    [".Rprofile", "shell-startup"],
    [".tmux.conf", "shell-startup"],
    [".overcommit.yml", "git-hook"],
    [".flaskenv", "environment-file"],
    ["_vimrc", "editor-settings"],
    [".run/all.run.xml", "editor-settings"],
    ["AGENT.md", "agent-settings"],
    ["netlify.toml", "ci-workflow"],
    [".hg/hgrc", "git-configuration"],
    [".taskcluster.yml", "ci-workflow"],
    [".zuul.yaml", "ci-workflow"],
    [".readthedocs.yaml", "ci-workflow"],
    [".replit", "ci-workflow"],
    [".goreleaser.yml", "ci-workflow"],
    [".releaserc", "build-file"],
    [".ocamlinit", "shell-startup"],
    ["a.Rproj", "shell-startup"],
    ["renv/activate.R", "shell-startup"],
    ["mise.local.toml", "directory-environment"],
    [".mise.local.toml", "directory-environment"],
    ["mise/config.toml", "directory-environment"],
    [".config/mise/config.toml", "directory-environment"],
    ["mise-tasks/build", "directory-environment"],
    [".mise-tasks/build", "directory-environment"],
    ["devenv.nix", "directory-environment"],
    [".envrc.local", "directory-environment"],
    [".bsp/sbt.json", "editor-settings"],
    ["buildServer.json", "editor-settings"],
    ["hie.yaml", "editor-settings"],
    [".lvimrc", "editor-settings"],
    [".local.vimrc", "editor-settings"],
    [".lazy.lua", "editor-settings"],
    [".vimspector.json", "editor-settings"],
    [".trunk/trunk.yaml", "editor-settings"],
    [".github/hooks/a.json", "agent-settings"],
    [".github/skills/a/x.md", "agent-settings"],
    [".github/chatmodes/a.md", "agent-settings"],
    [".agents/a.md", "agent-settings"],
    ["docs/SKILL.md", "agent-settings"],
    [".claude-plugin/plugin.json", "agent-settings"],
    [".factory/hooks.json", "agent-settings"],
    [".openhands/setup.sh", "agent-settings"],
    ["QWEN.md", "agent-settings"],
    [".qwen/settings.json", "agent-settings"],
    [".augment/a", "agent-settings"],
    [".trae/rules.md", "agent-settings"],
    [".kilocode/rules", "agent-settings"],
    ["docker-bake.hcl", "development-container"],
    ["Brewfile", "development-container"],
    [".pnp.cjs", "package-configuration"],
    [".pnp.loader.mjs", "package-configuration"],
    ["a/__pycache__/b.cpython-312.pyc", "package-configuration"],
    ["node_modules/.bin/eslint", "package-configuration"],
    [".venv/bin/activate", "package-configuration"],
    [".user.ini", "package-configuration"],
    [".htaccess", "package-configuration"],
    [".pylintrc.toml", "build-file"],
    [".mypy.ini", "build-file"],
    [".coveragerc", "build-file"],
    ["hatch_build.py", "build-file"],
    ["pdm_build.py", "build-file"],
    ["docs/conf.py", "build-file"],
    [".stylelintrc.json", "build-file"],
    [".postcssrc", "build-file"],
    [".commitlintrc.yml", "build-file"],
    ["nodemon.json", "build-file"],
    ["tools/bazel", "build-file"],
    ["pkg/BUILD", "build-file"],
    ["WORKSPACE", "build-file"],
    [".jvmopts", "build-file"],
    [".sbtopts", "build-file"],
    ["project/Build.scala", "build-file"],
    ["deps.edn", "build-file"],
    ["bb.edn", "build-file"],
    ["shadow-cljs.edn", "build-file"],
    ["Build.PL", "build-file"],
    [".golangci.yml", "build-file"],
    ["Thorfile", "build-file"],
    [".simplecov", "shell-startup"],
    ["gen.tt", "build-file"],
    ["build.cake", "build-file"],
    ["a.podspec", "build-file"],
    ["main.tf", "build-file"],
    ["terragrunt.hcl", "build-file"],
  ])("%s: %s", (path, kind) => {
    put("upper", path, "x");
    expect(flags(path)).toEqual([kind]);
    expect(hostExecuted(path)?.because).toMatch(/\.$/u);
  });

  test.each([
    "src/index.ts",
    "hooks/use-state.ts",
    "src/pre-commit",
    "build/out.js",
    "workspace/a.ts",
    "skills/README.md",
    "README.md",
    "docs/make.md",
    "test/vscode.ts",
    "env",
    "package-lock.json",
    "a/bashrc",
    ".gitignore",
    "src/app.config.json",
    "src/config.ts",
    "lib/irc.js",
    "dune.md",
  ])("not %s", (path) => {
    put("upper", path, "x");
    expect(flags(path)).toEqual([]);
  });

  test("what cannot be looked at is flagged as that", () => {
    const layers = { upper: openTree(join(top, "upper")), lower: openTree(join(top, "lower")) };
    const broken: Change = { path: "/b", kind: "added", type: "file", size: 1, mode: 0o644 };
    try {
      expect(flagsOrFault(broken, join(top, "lower"), layers, createSecretScan(KNOWN))).toMatchObject([{ kind: "unread" }]);
    } finally {
      closeSync(layers.upper);
      closeSync(layers.lower);
    }
  });

  test("but not when it is deleted", () => expect(flags("Makefile", { kind: "deleted" })).toEqual([]));

  test("a package's manifest, when a part of it changed that runs something", () => {
    put("lower", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest"}}');
    put("upper", "package.json", '{"version":"1.0.1","name":"a","scripts":{"test":"vitest"}}');
    expect(flags("package.json")).toEqual([]);
    put("upper", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest","prepare":"x"}}');
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest"},"dependencies":{"b":"1"}}');
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", "{ no JSON");
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", `{"name":"a","scripts":{"test":"vitest"},"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "new/composer.json", '{"scripts":{"post-install-cmd":"x"}}');
    expect(flags("new/composer.json", { kind: "added" })).toEqual(["package-script"]);
  });

  test("attributes that name a driver, not those that treat text", () => {
    put("upper", ".gitattributes", "* text=auto eol=lf\n*.png binary -diff\n");
    expect(flags(".gitattributes")).toEqual([]);
    put("upper", ".gitattributes", "*.c filter=indent\n");
    expect(flags(".gitattributes")).toEqual(["git-attributes"]);
    put("upper", ".gitattributes", `${"* text=auto\n".repeat(400_000)}*.c filter=indent\n`);
    expect(flags(".gitattributes")).toEqual(["git-attributes"]);
  });

  test("a new program, and one that is made executable, not one that was", () => {
    put("upper", "tool", "#!/bin/sh\n");
    expect(flags("tool", { kind: "added", mode: 0o755 })).toEqual(["executable"]);
    put("lower", "tool", "#!/bin/sh\n");
    expect(flags("tool", { kind: "mode", mode: 0o755 })).toEqual(["executable"]);
    chmodSync(join(top, "lower/tool"), 0o755);
    expect(flags("tool", { mode: 0o755 })).toEqual([]);
    expect(flags("tool", { mode: 0o4755 })).toEqual(["set-id"]);
  });

  test("what everybody on the machine may change, unless it was so before", () => {
    put("upper", "notes.txt", "x");
    mkdirSync(join(top, "upper/d"));
    expect(flags("notes.txt", { kind: "added", mode: 0o646 })).toEqual(["world-writable"]);
    expect(flags("d", { kind: "added", type: "directory", mode: 0o777 })).toEqual(["world-writable"]);
    expect(flags("notes.txt", { kind: "added", mode: 0o664 })).toEqual([]);
    put("lower", "notes.txt", "y");
    expect(flags("notes.txt", { kind: "mode", mode: 0o666 })).toEqual(["world-writable"]);
    chmodSync(join(top, "lower/notes.txt"), 0o666);
    expect(flags("notes.txt", { mode: 0o666 })).toEqual([]);
    expect(flags("link", { kind: "added", type: "link", mode: 0o777 })).toEqual([]);
  });

  test("a link that leaves the workspace, with what steers git in a repository's own files", () => {
    symlinkSync("/etc/passwd", join(top, "upper/out"));
    symlinkSync("src", join(top, "upper/in"));
    expect(flags("out", { type: "link" })).toEqual(["link"]);
    expect(flags("in", { type: "link" })).toEqual([]);
    expect(flags(".git/hooks/pre-commit", { kind: "added" })).toEqual(["repository"]);
    expect(flags("deep/sub/.git", { kind: "added" })).toEqual(["repository"]);
  });
});

describe("a secret in what is to land is flagged", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;

  test.each([
    ["a token of a service", `const t = "${token}";`],
    ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"],
    ["a value that is known", "x correct-horse-battery y"],
    ["a known value in base64", Buffer.from("see: correct-horse-battery").toString("base64")],
    ["a known value in a URL", "https://a/?t=correct%2Dhorse%2Dbattery"],
    ["beyond the first part of a large file", `${"x".repeat(1024 * 1024 - 10)} ${token}`],
  ])("%s", (_name, content) => {
    put("upper", "notes.txt", content);
    expect(flags("notes.txt")).toEqual(["secret"]);
  });

  test("not one that was there before, nor an example from a manual", () => {
    put("lower", "notes.txt", `old ${token}`);
    put("upper", "notes.txt", `new ${token} AKIAIOSFODNN7EXAMPLE`);
    expect(flags("notes.txt")).toEqual([]);
    put("upper", "notes.txt", `new ${token.replace("a1", "z9")}`);
    expect(flags("notes.txt")).toEqual(["secret"]);
  });

  test("in the name of what is new, or in what a link says", () => {
    put("upper", `d/${token}.txt`, "x");
    mkdirSync(join(top, "upper", `of-${token}`));
    symlinkSync("correct-horse-battery", join(top, "upper/link"));
    expect(flags(`d/${token}.txt`, { kind: "added" })).toEqual(["secret"]);
    expect(flags(`of-${token}`, { kind: "added", type: "directory" })).toEqual(["secret"]);
    expect(flags("link", { kind: "added", type: "link" })).toEqual(["secret"]);
    put("upper", `of-${token}/inside`, "x");
    expect(flags(`of-${token}/inside`, { kind: "added" })).toEqual([]);
    put("lower", `d/${token}.txt`, "y");
    expect(flags(`d/${token}.txt`)).toEqual([]);
    symlinkSync("correct-horse-battery", join(top, "lower/link"));
    expect(flags("link", { type: "link" })).toEqual([]);
  });

  test("in a special file that nobody reads to its end, nothing", () => {
    execFileSync("mkfifo", [join(top, "upper/pipe")]);
    expect(flags("pipe", { type: "file" })).toEqual([]);
  });
});

describe("a file that is long and takes no room", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const LONG = 2 ** 40;

  test("is flagged and not read: a hundred of them would keep a person waiting for hours", () => {
    put("upper", "hole.bin", token);
    truncateSync(join(top, "upper/hole.bin"), LONG);
    expect(flags("hole.bin", { kind: "added", size: LONG })).toEqual(["sparse"]);
  }, 10_000);

  test("is read like others where it is short, or full, also behind zeros", () => {
    put("upper", "short.bin", token);
    truncateSync(join(top, "upper/short.bin"), 1024 ** 2);
    expect(flags("short.bin", { kind: "added" })).toEqual(["secret"]);
    put("upper", "zeros.bin", `${"\0".repeat(3 * 1024 ** 2)} ${token} ${"\0".repeat(3 * 1024 ** 2)}`);
    expect(flags("zeros.bin", { kind: "added" })).toEqual(["secret"]);
    put("upper", "full.bin", `${"x".repeat(9 * 1024 ** 2)} ${token}`);
    expect(flags("full.bin", { kind: "added" })).toEqual(["secret"]);
  });
});
