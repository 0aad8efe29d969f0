import { appendFileSync, cpSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import type { SearchedPlace } from "../../../src/gate/facts/git-repositories.ts";
import { hostFacts } from "../../../src/gate/facts/host-facts.ts";
import { whatSteersGit } from "../../../src/gate/facts/git-settings.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { policyText, scene, YES } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

const STEERING = "[core]\nfsmonitor = ./x\n";

/** What git takes for a repository, with this configuration. */
function repository(directory: string, config = "[core]\nbare = false\n"): void {
  for (const name of ["objects", "refs"]) mkdirSync(join(directory, ".git", name), { recursive: true });
  writeFileSync(join(directory, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(directory, ".git/config"), config);
}

async function verdictOn(command: string, fill: (workspace: string) => void): Promise<string> {
  return (await checkCommand(operatorCheck(fill), command)).decision;
}

const NINE = Array.from({ length: 9 }, (_, at) => `r${String(at)}`);

test("more repositories than anybody looks at are asked about", async () => {
  const fill = (workspace: string): void => {
    for (const name of NINE) repository(join(workspace, name));
  };
  const looks = NINE.map((name) => `git -C ${name} status`);
  expect(await verdictOn(looks.slice(0, 8).join("; "), fill)).toBe("allow");
  expect(await verdictOn(looks.join("; "), fill)).toBe("ask");
});

test.each(["../other/r", "../../above"])("a repository at %s is measured, in the roots or not", async (place) => {
  const fill =
    (config?: string) =>
    (workspace: string): void =>
      repository(join(workspace, place), config);
  expect(await verdictOn(`git -C ${place} status`, fill(STEERING))).toBe("ask");
  expect((await checkCommand(operatorCheck(fill(STEERING)), `git -C ${place} status`)).reason).not.toContain("nobody");
});

test("a workspace in a repository obeys the one above", async () => {
  expect(await verdictOn("git status", (workspace) => repository(join(workspace, "../..")))).toBe("allow");
  expect(await verdictOn("git status", (workspace) => repository(join(workspace, "../.."), STEERING))).toBe("ask");
});

test.each<[string, (git: string) => void]>([
  ["a directory in the configuration's place", (git) => mkdirSync(join(git, "config.worktree"))],
  ["a link that leads out of the roots", (git) => symlinkSync("/etc/hostname", join(git, "config.worktree"))],
  ["a link to nowhere", (git) => symlinkSync("nowhere", join(git, "config.worktree"))],
  ["too large a configuration", (git) => writeFileSync(join(git, "config.worktree"), "#".repeat(1024 * 1024 + 1))],
  ["an index that is none", (git) => writeFileSync(join(git, "index"), "DIRC")],
  ["a directory in the index's place", (git) => mkdirSync(join(git, "index"))],
  ["a common directory that is missing", (git) => writeFileSync(join(git, "commondir"), "")],
  ["a hook's directory that is a link to nowhere", (git) => symlinkSync("nowhere", join(git, "hooks"))],
  ["hooks in a home that nobody knows", (git) => appendFileSync(join(git, "config"), "hooksPath = ~/hooks\n")],
  ["a work tree elsewhere", (git) => appendFileSync(join(git, "config"), "worktree = ../../other\n")],
])("%s makes it a question", async (_what, change) => {
  expect(await verdictOn("git status", repository)).toBe("allow");
  const changed = (workspace: string): void => {
    repository(workspace);
    change(join(workspace, ".git"));
  };
  expect(await verdictOn("git status", changed)).toBe("ask");
});

test("a work tree where the repository was found, and hooks that nothing starts, are no question", async () => {
  const fill = (workspace: string): void => {
    repository(workspace, "[core]\nworktree = ..\nhooksPath = .husky/_\n");
    mkdirSync(join(workspace, ".husky/_"), { recursive: true });
    for (const name of ["h", "husky.sh", "pre-commit"]) writeFileSync(join(workspace, ".husky/_", name), "");
  };
  expect(await verdictOn("git status", fill)).toBe("allow");
  expect((await checkCommand(operatorCheck(fill), "git commit -m a")).risk).toBe("high");
  expect((await checkCommand(operatorCheck(fill), "git add a")).risk).toBe("medium");
});

test("an example of a hook is none", async () => {
  const fill = (workspace: string): void => {
    repository(workspace);
    mkdirSync(join(workspace, ".git/hooks"));
    writeFileSync(join(workspace, ".git/hooks/pre-commit.sample"), "");
  };
  expect((await checkCommand(operatorCheck(fill), "git commit -m a")).risk).toBe("medium");
});

/** The place of a repository in which one path is measured like this. */
function placeWith(directory: string, about: string, measured: object): SearchedPlace {
  const { resolve } = hostFacts([directory]);
  return {
    resolve: async (paths) => {
      const facts = await resolve(paths);
      return facts.map((fact) => (fact.path === join(directory, about) ? { ...fact, ...measured } : fact));
    },
    bytes: async (path) => await readFile(path),
    names: async (path) => await readdir(path),
  };
}

const UNMEASURED = { error: "it could not be measured (EIO)" };
const LOOK = { isCalm: false, isConnecting: false, gainsSubmodules: false, mayAppear: false, mayBecomeBare: false };

test.each([".git", ".git/HEAD", ".git/objects", ".git/commondir", ".git/config", ".git/index", ".git/hooks", ".git/modules"])(
  "git may do anything where `%s` could not be measured",
  async (unmeasured) => {
    const directory = realpathSync(temporaryDirectory());
    repository(directory);
    expect(await whatSteersGit(placeWith(directory, unmeasured, {}), { ...LOOK, directory })).toBeNull();
    expect(await whatSteersGit(placeWith(directory, unmeasured, UNMEASURED), { ...LOOK, directory })).toEqual(expect.any(String));
  },
);

test("a home that is scratch space may hold a configuration that a command wrote", async () => {
  const about = scene({ answer: () => YES });
  repository(about.workspace);
  await about.call("shell", { command: "git status" });
  expect(about.cards).toEqual([]);
  writeFileSync(join(about.parts.setting.home, ".gitconfig"), "[user]\nname = a\n");
  await about.call("shell", { command: "git status" });
  expect(about.cards).toEqual([]);
  writeFileSync(join(about.parts.setting.home, ".gitconfig"), STEERING);
  await about.call("shell", { command: "git status" });
  expect(about.cards.flatMap(({ effects }) => effects).join("\n")).toContain("core.fsmonitor");
});

test("a yes is void when the configuration is another before it is spent", async () => {
  const rule = '\ncommands:\n  rules:\n    - { id: look-first, ask: "git *", because: "Look first.", match: ["git status"] }\n';
  const about = scene({
    policy: `${policyText()}${rule}`,
    answer: () => {
      repository(about.workspace, STEERING);
      return about.cards.length > 1 ? { kind: "refused", scope: "once", by: "ann@test" } : YES;
    },
  });
  repository(about.workspace);
  const { kind } = await about.call("shell", { command: "git status" });
  expect(kind).toBe("refused");
  expect(about.cards.map(({ effects }) => effects.join(" "))).toEqual([expect.not.stringContaining("runs code"), expect.stringContaining("core.fsmonitor")]);
});

test("a directory that the text makes first may hold anything", async () => {
  expect((await checkCommand(operatorCheck(repository), "git checkout b && git -C new log")).risk).toBe("high");
  expect((await checkCommand(operatorCheck(repository), "mkdir new && git -C new log")).risk).toBe("medium");
});

/** What another branch has in a directory may make a bare repository of it: `HEAD`, `objects`, `refs`, and a configuration. */
test.each([
  ["cd sub && git checkout b && git log -p", "high"],
  ["cd sub && git stash pop && git log -p", "high"],
  ["cd sub && git apply a.patch && git log -p", "high"],
  ["git checkout b && git -C sub log -p", "high"],
  // git looks for `.git` first, and finds it.
  ["git checkout b && git log -p", "medium"],
  // They put nothing there.
  ["cd sub && git add a && git commit -m b", "medium"],
  ["cd sub && git checkout b", "medium"],
])("without a sandbox, a directory may become a repository: `%s` is %s", async (command, risk) => {
  const fill = (workspace: string): void => {
    repository(workspace);
    mkdirSync(join(workspace, "sub"));
  };
  expect((await checkCommand({ ...operatorCheck(fill), containment: "none" }, command)).risk).toBe(risk);
  expect((await checkCommand(operatorCheck(fill), command)).risk).toBe("medium");
});

test("a submodule whose files are not there is measured", async () => {
  const fill =
    (config?: string) =>
    (workspace: string): void => {
      repository(workspace);
      repository(join(workspace, "other"), config);
      cpSync(join(workspace, "other/.git"), join(workspace, ".git/modules/a/b"), { recursive: true });
      rmSync(join(workspace, "other"), { recursive: true });
    };
  expect(await verdictOn("git status", fill())).toBe("allow");
  expect(await verdictOn("git status", fill("[core]\nworktree = ../../../../a/b\n"))).toBe("allow");
  expect(await verdictOn("git status", fill("[core]\nworktree = ../../../../../other\n"))).toBe("ask");
  expect(await verdictOn("git status", fill(STEERING))).toBe("ask");
});

test("an allowed look does not run when the configuration is another meanwhile", async () => {
  const { session, workspace, call } = scene();
  repository(workspace);
  expect((await call("shell", { command: "git status" })).kind).toBe("executed");
  const bytes = session.bytes.bind(session);
  Object.assign(session, {
    bytes: async (path: string, most: number) => {
      const found = await bytes(path, most);
      if (path.endsWith("config")) writeFileSync(path, STEERING);
      return found;
    },
  });
  const { kind, result } = await call("shell", { command: "git status" });
  expect([kind, JSON.stringify(result)]).toEqual(["denied", expect.stringContaining("configuration of a repository")]);
  expect(session.performed).toHaveLength(1);
});

test.each(["git add -A && git commit -m a", "git checkout other", "git stash pop", "git pull", "git add vendor/x; git status"])(
  "`%s` may make a submodule of what lies below",
  async (command) => {
    const fill = (config?: string) => (workspace: string) => {
      repository(workspace, '[remote "origin"]\nurl = https://h.test/r\n');
      repository(join(workspace, "vendor/x"), config);
    };
    const risk = async (config?: string): Promise<string> => (await checkCommand(operatorCheck(fill(config)), command)).risk;
    expect([await risk(), await risk(STEERING)]).toEqual(["medium", "high"]);
  },
);

test("a repository below that nobody adds is looked at by nobody", async () => {
  const fill = (workspace: string): void => {
    repository(workspace);
    repository(join(workspace, "vendor/x"), STEERING);
  };
  expect(await verdictOn("git status", fill)).toBe("allow");
  expect((await checkCommand(operatorCheck(fill), "git commit -m a")).risk).toBe("medium");
});

test.each<[string, (git: string) => void]>([
  [
    "whose HEAD is a link to another file",
    (git) => {
      renameSync(join(git, "HEAD"), join(git, "other"));
      symlinkSync("other", join(git, "HEAD"));
    },
  ],
  ["whose HEAD says nothing", (git) => writeFileSync(join(git, "HEAD"), "main\n")],
  ["without refs", (git) => rmSync(join(git, "refs"), { recursive: true })],
])("git goes on above a repository %s", async (_what, change) => {
  const fill = (config: string) => (workspace: string) => {
    repository(workspace, config);
    repository(join(workspace, "deep"));
    change(join(workspace, "deep/.git"));
  };
  expect(await verdictOn("cd deep && git status", fill(""))).toBe("allow");
  expect(await verdictOn("cd deep && git status", fill(STEERING))).toBe("ask");
});
