import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";
import { checkCommand } from "../../../src/gate/check.ts";
import type { CheckVerdict } from "../../../src/gate/check-verdict.ts";
import { policyText, scene, YES } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

/** The verdict of the policy `operator` in a workspace with these files (links: `-> target`). */
async function checked(command: string, files: Readonly<Record<string, string>>): Promise<CheckVerdict> {
  const parts = operatorCheck((workspace) => {
    for (const [name, text] of Object.entries(files)) {
      const path = join(workspace, name);
      mkdirSync(dirname(path), { recursive: true });
      if (text.startsWith("-> ")) symlinkSync(text.slice(3), path);
      else writeFileSync(path, text);
    }
  });
  return await checkCommand(parts, command);
}

async function verdictOn(command: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await checked(command, files)).decision;
}

const LOOKS = [
  ["cargo --version", "rust-toolchain"],
  ["cargo --version", "rust-toolchain.toml"],
  ["cargo metadata --no-deps", ".cargo/config.toml"],
  ["cargo search serde", ".cargo/config"],
  ["rustc -vV", "rust-toolchain.toml"],
  ["rustup show", "rust-toolchain"],
  ["dotnet --version", "global.json"],
  ["mvn -v", ".mvn/jvm.config"],
  ["npm audit", ".npmrc"],
  ["pnpm list", ".pnpmfile.cjs"],
  ["pnpm -v", "pnpm-workspace.yaml"],
  ["yarn why lodash", ".yarnrc.yml"],
  ["yarn -v", ".corepack.env"],
  ["yarn audit", "node_modules/.bin/audit"],
  ["yarn outdated", ".pnp.cjs"],
  ["cargo fmt --check", ".cargo/config.toml"],
  ["cargo fmt --all -- --check", "rust-toolchain"],
  ["uv pip list", ".venv/pyvenv.cfg"],
  ["uv python find", ".python-version"],
  ["terraform output", ".terraform/terraform.tfstate"],
] as const;

test.each(LOOKS)("`%s` runs no code, but where %s is there", async (command, file) => {
  expect(await verdictOn(command)).toBe("allow");
  expect(await verdictOn(command, { [file]: "" })).toBe("ask");
  // The program looks upwards, and in the directory where it is.
  expect(await verdictOn(`cd deep/er && ${command}`, { [file]: "", "deep/er/a": "" })).toBe("ask");
  expect(await verdictOn(`cd deep && ${command}`, { [`deep/${file}`]: "" })).toBe("ask");
  expect(await verdictOn(command, { [`deep/${file}`]: "" })).toBe("allow");
});

test.each([
  ["ruff check .", "pyproject.toml", '[tool.ruff.lint]\nfixable = ["ALL"]\n', "[tool.ruff]\nfix = true\n"],
  ["ruff check .", "ruff.toml", "line-length = 100\n", '"\\u0066ix" = true\n'],
  ["ruff check .", ".ruff.toml", "", 'extend = "../base.toml"\n'],
  ["ruff check .", "ruff.toml", "", "'fix-only'= true\n"],
  ["ruff check .", "ruff.toml", "", 'cache-dir = "src"\n'],
  ["pnpm list", "package.json", '{"name":"a","scripts":{"b":"pnpm c"}}', '{"packageManager":"pnpm@file:evil.tgz"}'],
  ["yarn -v", "package.json", '{"name":"a"}', '{"package\\u004danager":"yarn@1"}'],
  ["yarn audit", "package.json", '{"scripts":{"test":"b"}}', '{"scripts":{"audit":"b"}}'],
  ["docker compose ps", ".env", "COMPOSE_PROJECT_NAME=a\nMY_GIT_TOKEN=b\n", "DOCKER_HOST=tcp://evil.test:2375\n"],
  ["docker-compose logs web", ".env", "A=b\n", "export GIT_SSH_COMMAND=./evil\n"],
  ["docker compose config --services", ".env", "", "COMPOSE_FILE=/srv/compose.yaml\n"],
  ["cdk context", "cdk.json", '{"app":"node app.js"}', '{"plugin":["./evil"]}'],
  ["uv pip list", "pyproject.toml", '[project]\nname = "a"\n', '[tool.uv]\npython-preference = "system"\n'],
])("`%s` depends on what %s says", async (command, file, harmless, steering) => {
  expect(await verdictOn(command, { [file]: harmless })).toBe("allow");
  expect(await verdictOn(command, { [file]: steering })).toBe("ask");
  // What cannot be read, and what leads out of the workspace, may say anything.
  expect(await verdictOn(command, { [file]: "\ufffd".repeat(400_000) })).toBe("ask");
  expect(await verdictOn(command, { [file]: "-> /etc/hostname" })).toBe("ask");
});

test.each(["docker compose -f deep/compose.yaml ps", "docker-compose --file=./deep/compose.yaml config -q", "docker compose --project-directory deep ps"])(
  "`%s` takes the variables of that directory",
  async (command) => {
    const files = { "deep/compose.yaml": "services: {}\n" };
    expect(await verdictOn(command, files)).toBe("allow");
    expect(await verdictOn(command, { ...files, "deep/.env": "TAG=1\n" })).toBe("allow");
    expect(await verdictOn(command, { ...files, "deep/.env": "DOCKER_HOST=ssh://evil.test\n" })).toBe("ask");
  },
);

test.each([
  "cargo --version 2>/dev/null | head -1",
  "which cargo && cargo --version && rustc --version || echo none",
  "(cd deep; timeout 5 cargo --version)",
  "ruff check src 2>&1 | tail -20",
  "[ -f Cargo.toml ] && true || bash -c 'cargo --version'",
])("`%s` leaves files and variables as they are", async (command) => {
  expect(await verdictOn(command, { "deep/a": "" })).toBe("allow");
});

test.each([
  ["cp a rust-toolchain; cargo --version", "a file that it makes"],
  ["cargo --version > b", "a file that its own output goes to"],
  ["cargo --version & mkdir .cargo", "one that is made beside it"],
  ["A=b cargo --version", "a variable of its own"],
  ["export A=b; cargo --version", "a variable that is handed on"],
  ["for A in b; do cargo --version; done", "the variable of a loop"],
  [": ${A:=b}; cargo --version", "a variable that an expansion sets"],
  ["env A=b cargo --version", "a variable behind env"],
  ["set -f; cargo --version", "a builtin that changes the shell"],
  ["ls | xargs cargo --version", "words from elsewhere"],
  ["tofu output", "a program that more files steer"],
  ["cd linked && cargo --version", "a directory whose parents are others"],
])("`%s` is asked about: %s", async (command) => {
  expect((await checked(command, { "deep/a": "", linked: "-> deep" })).reason).toContain("runs code");
});

test.each(["packer version", "packer -help", "packer fmt -check -recursive .", "packer fmt -write=false a.pkr.hcl"])(
  "`%s` asks no plug-in, but where the directory has one",
  async (command) => {
    expect(await verdictOn(command, { "a-packer": "", "deep/packer-plugin-a": "" })).toBe("allow");
    expect(await verdictOn(command, { "packer-plugin-a": "" })).toBe("ask");
    expect(await verdictOn(`cd deep && ${command}`, { "deep/packer-builder-b": "" })).toBe("ask");
    expect(await verdictOn(`cd linked && ${command}`, { "deep/a": "", linked: "-> deep" })).toBe("ask");
  },
);

test.each(["packer build a.json", "packer validate a.json", "packer fmt .", "packer fmt -diff a.pkr.hcl", "packer init ."])(
  "`%s` is asked about",
  async (command) => {
    expect(await verdictOn(command)).toBe("ask");
  },
);

test.each(["curl -s http://[::1]:3000/", "wget -qO- http://[::1]/x?a=1 2>&1 | head -3", "u=http://[::1]/ && curl -sf $u"])(
  "`%s` asks an address, but where a file could stand for the pattern that it is to a shell",
  async (command) => {
    expect(await verdictOn(command, { "deep/a": "", linked: "-> deep" })).toBe("allow");
    expect(await verdictOn(command, { "http:/1:3000/a": "" })).toBe("ask");
    expect(await verdictOn(command, { "http:": "-> deep", "deep/a": "" })).toBe("ask");
    expect(await verdictOn(`cd deep && ${command}`, { "deep/http:/a": "" })).toBe("ask");
    expect(await verdictOn(`cd deep && ${command}`, { "deep/a": "", "http:/a": "" })).toBe("allow");
  },
);

test.each([
  ["mkdir -p http:/1:3000; curl http://[::1]:3000/", "a directory that it makes"],
  ["tar xf a.tar; curl http://[::1]:3000/", "one that comes out of an archive"],
  ["curl http://[::1].example.org/", "a name that only begins so"],
  ["curl http://[::1]@example.org/", "a user's name"],
  ["curl http://[::f-z]/", "a range"],
])("`%s` is asked about: %s", async (command) => {
  expect(await verdictOn(command, { "deep/a": "" })).toBe("ask");
});

test.each([
  ["env -C deep curl http://[::1]:3000/", "a shell that stood elsewhere"],
  ["cd deep; curl http://[::1]:3000/", "one of two directories"],
])("`%s` is asked about: %s", async (command) => {
  expect(await verdictOn(command, { "http:/1:3000/a": "", "deep/a": "" })).toBe("ask");
});

test.each(["cargo fmt", "cargo fmt -- --emit files --check", "cargo fmt -- --color always"])("`%s` may rewrite the sources", async (command) => {
  expect(await verdictOn(command)).toBe("ask");
});

test("the home's own files are the person's", async () => {
  expect(await verdictOn("cargo --version", { "../.cargo/config.toml": "" })).toBe("allow");
  expect(await verdictOn("cargo --version", { "../../.cargo/config.toml": "" })).toBe("ask");
});

test.each(["bash -lc ls", "zsh -ilc 'rg a /tmp && ls -la'", "bash --login -c 'rg a /tmp | head -3; echo done'"])(
  "`%s` runs the person's own start-up files",
  async (command) => {
    expect(await verdictOn(command, { "../.bash_profile": "cd /" })).toBe("allow");
  },
);

test.each([
  ["bash -lc 'ls *'", "a pattern, which an option of the shell reads otherwise"],
  ["bash -lc 'echo $x'", "a variable that the files may have set"],
  ["bash -lc 'cat a'", "a path from a directory that the files may have left"],
  ["bash -lc 'cd src; ls'", "a directory that CDPATH may lead elsewhere"],
  ["bash -lc '. a'", "a script of the workspace"],
  ["bash -lc 'ls > a'", "a file that is written"],
  ["bash -lc 'git status'", "git without the sandbox's variables"],
  ["bash -l a", "a script"],
  ["echo 'rm x' > a; bash -lc ls", "a text that may make such a file"],
  ["HOME=$PWD bash -lc ls", "another home"],
])("`%s` is asked about: %s", async (command) => {
  expect((await checked(command, { a: "" })).decision).toBe("ask");
});

test("a login shell's git is read as one without the sandbox's variables, which start-up files may take away", () => {
  const { effects } = analyseCommand("bash -lc 'git status'", { cwd: "/w", home: "/home/me" });
  expect(effects.map(({ cause }) => cause).join("\n")).toContain("without the sandbox's variables");
});

test("the start-up files of a sandbox are the commands' own", async () => {
  const about = scene({ answer: () => YES });
  await about.call("shell", { command: "bash -lc ls" });
  expect(about.cards.flatMap(({ effects }) => effects).join("\n")).not.toContain("start-up");
  writeFileSync(join(about.parts.setting.home, ".bashrc"), "rm -rf .\n");
  await about.call("shell", { command: "bash -lc ls" });
  expect(about.cards.flatMap(({ effects }) => effects).join("\n")).toContain("start-up");
});

/** One call about which a policy wants to be asked, while a person thinks. */
async function askedAbout(command: string, meanwhile: (workspace: string) => void) {
  const rule = '\ncommands:\n  rules:\n    - { id: look-first, ask: "cargo *", because: "Look first.", match: ["cargo --version"] }\n';
  const about = scene({
    policy: `${policyText()}${rule}`,
    answer: () => {
      meanwhile(about.workspace);
      return about.cards.length > 1 ? { kind: "refused", scope: "once", by: "ann@test" } : YES;
    },
  });
  const { kind } = await about.call("shell", { command });
  return { kind, cards: about.cards.map(({ effects }) => effects.join(" ")) };
}

test("the home of a sandbox is the commands' own", async () => {
  const inHome = async (file: string): Promise<string> => {
    const about = scene({ answer: () => YES });
    if (file !== "") {
      mkdirSync(dirname(join(about.parts.setting.home, file)), { recursive: true });
      writeFileSync(join(about.parts.setting.home, file), "");
    }
    await about.call("shell", { command: "cd ~ && cargo --version" });
    return about.cards.map(({ effects }) => effects.join(" ")).join("\n");
  };
  expect(await inHome("")).not.toContain("runs code");
  expect(await inHome(".cargo/config.toml")).toContain("runs code");
});

test("a yes counts where nothing changes", async () => {
  expect(await askedAbout("cargo --version", () => null)).toEqual({ kind: "executed", cards: [expect.not.stringContaining("runs code")] });
});

test("a yes is void when such a file appears before it is spent", async () => {
  const { kind, cards } = await askedAbout("cargo --version", (workspace) => {
    writeFileSync(join(workspace, "rust-toolchain"), "./evil");
  });
  expect(kind).toBe("refused");
  expect(cards).toEqual([expect.not.stringContaining("runs code"), expect.stringContaining("runs code")]);
});

test("an allowed call does not run when a plug-in lies beside it meanwhile", async () => {
  const { session, workspace, call } = scene();
  expect((await call("shell", { command: "packer version" })).kind).toBe("executed");
  const names = session.names.bind(session);
  Object.assign(session, {
    names: async (directory: string) => {
      const found = await names(directory);
      writeFileSync(join(workspace, "packer-plugin-a"), "");
      return found;
    },
  });
  const { kind, result } = await call("shell", { command: "packer version" });
  expect([kind, JSON.stringify(result)]).toEqual(["denied", expect.stringContaining("packer-*")]);
  expect(session.performed).toHaveLength(1);
});
