import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRepository } from "../../../../src/sandbox/workspace/repository/beginnings.ts";
import type { RepositoryState } from "../../../../src/sandbox/workspace/repository/state.ts";

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "warder-state-"));
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const ONE = "git init -q -b main; git config user.name a; git config user.email a@b; echo a > a; git add .; git commit -qm one";

function say(script: string): string {
  return execFileSync("sh", ["-ec", script], { cwd: place, env: ENV, encoding: "utf8" }).trim();
}

async function read(): Promise<RepositoryState> {
  const found = await readRepository(join(place, ".git"));
  if (typeof found === "string") throw new Error(found);
  return found;
}

test.each([
  ["on a branch", ONE, "refs/heads/main"],
  [
    "on a branch through a ref that names it",
    `${ONE}; git symbolic-ref refs/heads/alias refs/heads/main; git symbolic-ref HEAD refs/heads/alias`,
    "refs/heads/main",
  ],
  ["on a branch beside one that is called HEAD", `${ONE}; git update-ref refs/heads/HEAD main`, "refs/heads/main"],
  ["on a branch beside files with the names of what is asked", `${ONE}; touch 'HEAD^{commit}' 'HEAD^{tree}' HEAD`, "refs/heads/main"],
  ["on no branch", `${ONE}; git checkout -q --detach`, null],
  ["on no branch, with names of 64 characters", `${ONE.replace("git init", "git init --object-format=sha256")}; git checkout -q --detach`, null],
])("HEAD is read %s", async (_, script, ref) => {
  say(script);
  const { head, tree, staged } = await read();
  expect(head).toEqual({ ref, id: say("git rev-parse --verify HEAD^{commit} 2>/dev/null") });
  expect(tree).toBe(say("git rev-parse --verify HEAD^{tree} 2>/dev/null"));
  expect(staged.size).toBe(0);
});

test("a branch without a commit has the empty tree, with which what is staged is compared", async () => {
  say("git init -q -b main; echo a > a; git add a");
  const { head, tree, staged } = await read();
  expect(head).toEqual({ ref: "refs/heads/main", id: null });
  expect(tree).toBe(say("git hash-object -t tree /dev/null"));
  expect([...staged.keys()]).toEqual(["a"]);
});

test("a commit whose tree is gone is no branch without a commit: it cannot be read", async () => {
  say(`${ONE}; tree=$(git rev-parse HEAD^{tree}); rm -f .git/objects/$(echo $tree | cut -c1-2)/$(echo $tree | cut -c3-)`);
  expect(await readRepository(join(place, ".git"))).toBe("git cannot read the commit that HEAD names.");
});
