import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownerOf } from "../../src/sandbox/owner.ts";
import type { Session } from "../../src/sandbox/runtime.ts";
import type { ApplyReport, MayWrite } from "../../src/landing/files/report.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { discardChanges, landChanges } from "./landed-changes.ts";
import { mountsBelow, type RuntimeUnderTest } from "./runtime.ts";
import { bash, IS_ELSEWHERE, IS_GVISOR, makeFixture, OWN_UID, OWNERS, perform, profileOf, run, type SandboxFixture } from "./sandbox-fixture.ts";

const FILES = {
  "a.txt": "alpha\n",
  "b.txt": "beta\n",
  "gone.txt": "gone\n",
  "folder/c.txt": "gamma\n",
  "folder/d.txt": "delta\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n",
  ".git/objects/info/packs": "\n",
  ".git/refs/.kept": "",
  "policies/own.yaml": "version: 1\n",
};
const anything = (): null => null;

/** Makes a commit in what the fixture has of a repository. */
const COMMIT =
  "mkdir -p .git/refs/heads; git -c user.name=a -c user.email=a@b commit-tree -m x $(git write-tree) > .git/refs/heads/main; git rev-parse --verify -q main > /dev/null";

/** What a transactional workspace remembers, shows, applies and refuses, whoever owns it. */
export function changesContract(under: RuntimeUnderTest, owners: readonly number[] = OWNERS): void {
  for (const uid of owners) {
    describe(`keeps the changes of a workspace of user ${String(uid)}`, () => {
      let fixture: SandboxFixture;
      let session: Session;
      const at = (path: string): string => `${fixture.workspace}/${path}`;
      const open = (): Promise<Session> => under.make().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
      const land = (mayWrite = anything as MayWrite): Promise<ApplyReport> => landChanges({ session, runDirectory: fixture.runDirectory }, mayWrite);
      beforeEach(async () => {
        fixture = makeFixture(FILES, uid);
        session = await open();
      });
      afterEach(async () => {
        await session.close();
        expect(mountsBelow(fixture.folder)).toEqual([]);
        fixture.remove();
      });
      afterAll(() => {
        expect(under.leftovers(fixture.runId)).toEqual([]);
      });

      test("lists each kind of change and leaves the workspace as it was", async () => {
        await run(
          session,
          "echo new > n.txt; echo more >> a.txt; rm gone.txt; chmod 755 b.txt; ln -s a.txt l; mkdir e; rm -r folder; mkdir folder; touch policies",
        );
        expect((await session.changes()).map((change) => `${change.kind} ${change.type} ${change.path}`)).toEqual([
          "modified file a.txt",
          "mode file b.txt",
          "added directory e",
          "deleted file folder/c.txt",
          "deleted file folder/d.txt",
          "deleted file gone.txt",
          "added link l",
          "added file n.txt",
        ]);
        expect(readFileSync(at("a.txt"), "utf8")).toBe("alpha\n");
        expect(existsSync(at("gone.txt"))).toBe(true);
      });

      test("shows a unified diff of text and names what is none", async () => {
        await run(session, "echo more >> a.txt; rm gone.txt; head -c 10 /dev/zero > zero");
        await session.close();
        const review = await openChanges(fixture.runDirectory);
        const diff = (await review?.diff(100_000)) ?? "";
        expect(diff).toContain("--- a/a.txt");
        expect(diff).toContain("+more");
        expect(diff).toContain("-gone");
        expect(diff).toContain("zero: added, no text");
        expect(await review?.diff(10)).toContain("more changes are not shown");
        await review?.close();
      });

      test("applies files, modes, links, folders and deletions as the workspace's owner", async () => {
        await run(
          session,
          "umask 022; echo more >> a.txt; chmod 755 b.txt; rm gone.txt; mkdir -p e/f; echo deep > e/f/g; ln -s ../a.txt e/l; rm -r folder; echo file > folder",
        );
        const report = await land();
        expect(report.refused).toEqual([]);
        expect(readFileSync(at("a.txt"), "utf8")).toBe("alpha\nmore\n");
        expect(statSync(at("b.txt")).mode & 0o777).toBe(0o755);
        expect(existsSync(at("gone.txt"))).toBe(false);
        expect(readFileSync(at("e/f/g"), "utf8")).toBe("deep\n");
        expect(readlinkSync(at("e/l"))).toBe("../a.txt");
        expect(readFileSync(at("folder"), "utf8")).toBe("file\n");
        for (const path of ["a.txt", "e", "e/f/g", "e/l", "folder"])
          expect([path, lstatSync(at(path)).uid, lstatSync(at(path)).gid]).toEqual([path, uid, statSync(fixture.workspace).gid]);
        session = await open();
        expect(await session.changes()).toEqual([]);
        expect((await run(session, "cat a.txt")).out).toBe("alpha\nmore\n");
      });

      test("leaves what somebody else changed, removed or made meanwhile", async () => {
        await run(session, "echo mine > a.txt; echo mine > b.txt; echo mine > n.txt; rm -r folder; rm gone.txt; echo fine > ok.txt");
        writeFileSync(at("a.txt"), "theirs\n");
        rmSync(at("b.txt"));
        writeFileSync(at("n.txt"), "theirs\n");
        writeFileSync(at("folder/new.txt"), "theirs\n");
        writeFileSync(at("gone.txt"), "theirs\n");
        const report = await land();
        expect(report.applied.map((change) => change.path)).toEqual(["ok.txt"]);
        expect(report.refused.map((refusal) => refusal.change.path)).toEqual([
          "a.txt",
          "b.txt",
          "folder",
          "folder/c.txt",
          "folder/d.txt",
          "folder/new.txt",
          "gone.txt",
          "n.txt",
        ]);
        for (const refusal of report.refused) expect(refusal.reason).toMatch(refusal.change.path.startsWith("folder/") ? /directory folder/ : /Conflict/);
        for (const path of ["a.txt", "n.txt", "gone.txt", "folder/new.txt"]) expect(readFileSync(at(path), "utf8")).toBe("theirs\n");
        expect(existsSync(at("folder/c.txt"))).toBe(true);
      });

      test("judges every final path, also below a folder that is deleted", async () => {
        await run(session, "echo x > a.txt; mkdir made; echo x > made/file; rm -r folder; echo y > b.txt");
        const report = await land((path) => (path === at("folder/c.txt") || path === at("a.txt") || path.startsWith(at("made")) ? "the rule" : null));
        expect(report.applied.map((change) => change.path)).toEqual(["b.txt"]);
        expect(report.refused.map((refusal) => refusal.change.path)).toEqual(["a.txt", "folder", "folder/c.txt", "folder/d.txt", "made", "made/file"]);
        expect(existsSync(at("folder/d.txt"))).toBe(true);
        expect(existsSync(at("made"))).toBe(false);
      });

      test("refuses links that leave the workspace, special files, and drops setuid bits", async () => {
        const text =
          "ln -s /etc/passwd l1; ln -s ../../x l2; mkdir d; ln -s .. d/up; ln -s d/up/../x l3; ln -s /etc out; ln -s out/passwd l4; mkfifo pipe; cp /bin/true tool; chmod 6755 tool; ln -s d ok";
        await run(session, text);
        const report = await land();
        // A FIFO of gVisor is its own, and never on this machine.
        expect(report.refused.map((refusal) => refusal.change.path)).toEqual(["l1", "l2", "l3", "out", ...(IS_GVISOR ? [] : ["pipe"])]);
        expect(statSync(at("tool")).mode & 0o7777).toBe(0o755);
        expect(readlinkSync(at("ok"))).toBe("d");
      });

      test("applies through no link that was swapped in on the host", async () => {
        await run(session, "echo x > folder/new.txt");
        rmSync(at("folder"), { recursive: true });
        mkdirSync(`${fixture.folder}/outside`);
        symlinkSync(`${fixture.folder}/outside`, at("folder"));
        const report = await land();
        expect(report.applied).toEqual([]);
        expect(existsSync(`${fixture.folder}/outside/new.txt`)).toBe(false);
      });

      test("applies commits but nothing that steers git on the host", async () => {
        const text = `${COMMIT}; mkdir -p .git/info; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo evil > .git/info/attributes; echo evil > .git/config.worktree; mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/post-checkout; echo 'gitdir: /x' > folder/.git; touch .git/index.lock`;
        await run(session, text);
        const report = await land();
        const applied = report.applied.map((change) => change.path);
        expect(applied.filter((path) => !path.includes("objects"))).toEqual(["sub", ".git/index", ".git/refs/heads", ".git/refs/heads/main"]);
        expect(applied.filter((path) => /^\.git\/objects\/..\/.{38}$/u.test(path))).toHaveLength(2);
        for (const path of [".git/hooks", ".git/info", ".git/config.worktree", "sub/.git", "folder/.git", ".git/index.lock"])
          expect([path, existsSync(at(path))]).toEqual([path, false]);
      });

      test("applies nothing that steers git in a directory that git takes for a repository", async () => {
        await run(
          session,
          "mkdir -p bare/objects bare/refs bare/hooks; echo 'ref: refs/heads/main' > bare/HEAD; echo evil > bare/config; echo evil > bare/hooks/x; mkdir -p plain/hooks; echo fine > plain/config; echo fine > plain/hooks/y",
        );
        const report = await land();
        expect(report.refused.map((refusal) => refusal.change.path)).toEqual(["bare/config", "bare/hooks", "bare/hooks/x"]);
        expect(existsSync(at("bare/config"))).toBe(false);
        expect(existsSync(at("plain/hooks/y"))).toBe(true);
      });

      test("applies nothing that an interrupted write left", async () => {
        await run(session, "mkdir -p d; echo half > d/.warder-0123456789abcdef.tmp; echo fine > d/.warder-notes.tmp");
        const report = await land();
        expect(report.refused.map((refusal) => refusal.change.path)).toEqual(["d/.warder-0123456789abcdef.tmp"]);
        expect(existsSync(at("d/.warder-0123456789abcdef.tmp"))).toBe(false);
        expect(existsSync(at("d/.warder-notes.tmp"))).toBe(true);
      });

      test("moves no ref when an object of the commit was not applied", async () => {
        await run(session, `${COMMIT}; echo w > a.txt`);
        // The empty tree's.
        writeFileSync(at(".git/objects/4b"), "theirs");
        const report = await land();
        expect(report.applied.map((change) => change.path)).toEqual(["a.txt"]);
        expect(
          report.refused
            .filter((refusal) => refusal.change.path === ".git/objects/4b")
            .map((refusal) => refusal.reason)
            .join(),
        ).toMatch(/git cannot store the objects/u);
        expect(existsSync(at(".git/refs/heads"))).toBe(false);
      });

      test("does not move a repository's mounts away to land a hook", async () => {
        await run(session, "mv .git g; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; true");
        await land();
        expect(existsSync(at(".git/hooks/pre-commit"))).toBe(false);
        expect(existsSync(at(".git/HEAD"))).toBe(true);
      });

      test("discards everything and goes on", async () => {
        await run(session, "echo x > a.txt; rm -r folder; touch n.txt");
        await discardChanges({ session, runDirectory: fixture.runDirectory });
        session = await open();
        expect(await session.changes()).toEqual([]);
        expect((await run(session, "cat a.txt; cd folder && echo *")).out).toBe("alpha\nc.txt d.txt\n");
        expect(readFileSync(at("a.txt"), "utf8")).toBe("alpha\n");
      });

      test("keeps changes beyond the session, for review and for the next session of the run", async () => {
        await run(session, "echo kept > n.txt; echo also > m.txt");
        await expect(openChanges(fixture.runDirectory)).rejects.toMatchObject({ code: "usage" });
        await session.close();
        writeFileSync(`${fixture.runDirectory}/workspace/owner`, ownerOf(process.ppid) ?? "");
        await expect(openChanges(fixture.runDirectory)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(String(process.ppid)) });
        rmSync(`${fixture.runDirectory}/workspace/owner`);
        const review = await openChanges(fixture.runDirectory);
        expect(review?.list().map((change) => change.path)).toEqual(["m.txt", "n.txt"]);
        expect((await review?.apply({ mayWrite: (path) => (path.endsWith("m.txt") ? "no" : null) }))?.applied.length).toBe(1);
        await review?.close();
        expect(readFileSync(at("n.txt"), "utf8")).toBe("kept\n");
        session = await open();
        expect((await run(session, "cat n.txt m.txt")).out).toBe("kept\nalso\n");
        expect((await session.changes()).map((change) => change.path)).toEqual(["m.txt"]);
        await session.close();
        const last = await openChanges(fixture.runDirectory);
        await last?.discard();
        expect(await openChanges(fixture.runDirectory)).toBeNull();
        expect(existsSync(at("m.txt"))).toBe(false);
      });

      test("does not go on in another directory that took the workspace's place, nor loses the changes", async () => {
        await run(session, "echo kept > n.txt");
        await session.close();
        const aside = `${fixture.folder}/aside`;
        renameSync(fixture.workspace, aside);
        mkdirSync(fixture.workspace);
        if (uid !== OWN_UID) chownSync(fixture.workspace, uid, uid);
        await expect(open()).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("another directory") });
        const review = await openChanges(fixture.runDirectory);
        expect(review?.list()).toMatchObject([{ path: "n.txt" }]);
        await expect(review?.apply({ mayWrite: () => null })).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("nothing lands") });
        await review?.close();
        expect(readdirSync(fixture.workspace)).toEqual([]);
        rmdirSync(fixture.workspace);
        renameSync(aside, fixture.workspace);
        session = await open();
        expect((await run(session, "cat n.txt")).out).toBe("kept\n");
      });

      test("notices nothing when a file was only touched", async () => {
        chmodSync(at("a.txt"), 0o644);
        await run(session, "touch a.txt; cp b.txt b2; mv b2 b.txt");
        expect((await session.changes()).filter((change) => change.kind !== "mode")).toEqual([]);
      });
    });
  }

  test.skipIf(IS_ELSEWHERE)("says that a bound workspace has no changes to review", async () => {
    const fixture = makeFixture(FILES);
    const session = await under
      .make()
      .open(profileOf(fixture, { settings: { workspace: "bind" } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    try {
      await run(session, "echo direct > a.txt");
      expect(readFileSync(`${fixture.workspace}/a.txt`, "utf8")).toBe("direct\n");
      expect(lstatSync(`${fixture.workspace}/a.txt`).uid).toBe(OWN_UID);
      await expect(session.changes()).rejects.toMatchObject({ code: "usage" });
    } finally {
      await session.close();
      fixture.remove();
    }
  });

  describe.each<[string, string, string]>([
    ["a nested repository's hook", "mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/post-checkout; echo done", "sub/.git/hooks"],
    ["a forbidden file", "echo x > folder/.env", "folder/.env"],
    ["a link in a repository's place", "ln -s policies folder/.git", "folder/.git"],
  ])("in a bound workspace", (name, text, path) => {
    test.skipIf(IS_ELSEWHERE)(`puts ${name} into quarantine and ends the session`, async () => {
      const fixture = makeFixture(FILES, OWNERS.at(-1));
      const session = await under
        .make()
        .open(profileOf(fixture, { settings: { workspace: "bind" } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
      try {
        const outcome = await perform(session, bash(session, text));
        expect(outcome).toMatchObject({ kind: "failed", code: "quarantined", reason: expect.stringContaining(path) });
        expect(existsSync(`${fixture.workspace}/${path}`)).toBe(false);
        expect(readdirSync(`${fixture.runDirectory}/quarantine`).length).toBe(1);
        expect(await perform(session, bash(session, "true"))).toMatchObject({ kind: "failed", code: "session-lost" });
      } finally {
        await session.close();
        fixture.remove();
      }
    });
  });

  describe.each<[string, string]>([
    ["a forbidden file with the longest name", "touch $(printf 'a%.0s' $(seq 251)).pem"],
    ["a directory beyond any path", "n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 25); do mkdir $n; cd $n; done"],
    ["a name that is not UTF-8", "touch $'\\xff'"],
  ])("in a bound workspace", (name, text) => {
    test.skipIf(IS_ELSEWHERE)(`takes the rest away beside ${name}, and ends the session`, async () => {
      const fixture = makeFixture(FILES, OWNERS.at(-1));
      const profile = { ...profileOf(fixture, { settings: { workspace: "bind" } }), forbidden: ["/**/*.pem"] };
      const session = await under.make().open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory });
      try {
        const hook = "mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/post-checkout; cp /bin/true tool; chmod 6755 tool";
        const outcome = await perform(session, bash(session, `${hook}; ${text}; echo done`));
        expect(outcome).toMatchObject({ kind: "failed", code: "quarantined", reason: expect.stringContaining("sub/.git/hooks") });
        expect(existsSync(`${fixture.workspace}/sub/.git/hooks`)).toBe(false);
        expect(statSync(`${fixture.workspace}/tool`).mode & 0o6000).toBe(0);
        expect(await perform(session, bash(session, "touch next"))).toMatchObject({ kind: "failed" });
        expect(existsSync(`${fixture.workspace}/next`)).toBe(false);
      } finally {
        await session.close();
        // Deeper than a path can say.
        execFileSync("rm", ["-rf", fixture.workspace]);
        fixture.remove();
      }
    });
  });

  test.skipIf(IS_ELSEWHERE)("ends the session of a bound workspace in which something cannot be judged", async () => {
    const fixture = makeFixture(FILES, OWNERS.at(-1));
    const session = await under
      .make()
      .open(profileOf(fixture, { settings: { workspace: "bind" } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    try {
      expect(await perform(session, bash(session, "touch $'\\xff'"))).toMatchObject({ kind: "failed", code: "quarantined" });
      expect(await perform(session, bash(session, "touch next"))).toMatchObject({ kind: "failed" });
      expect(existsSync(`${fixture.workspace}/next`)).toBe(false);
    } finally {
      await session.close();
      fixture.remove();
    }
  });

  describe.each([
    ["hidden", ".env", "cat .env"],
    ["protected", ".git/config", "echo evil >> .git/config"],
  ])("in a bound workspace", (what, path, text) => {
    test.skipIf(IS_ELSEWHERE).each([
      ["before a command", false],
      ["while a command runs", true],
    ])(`a ${what} file that the person replaces %s ends the session, and its mount is not missed`, async (_when, isRunning) => {
      const fixture = makeFixture({ ...FILES, [path]: "before\n" }, OWNERS.at(-1));
      const session = await under
        .make()
        .open(profileOf(fixture, { settings: { workspace: "bind" } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
      const replace = (): void => {
        execFileSync("sh", ["-ec", `echo 'a secret' > "$1.new"; mv "$1.new" "$1"`, "sh", `${fixture.workspace}/${path}`]);
      };
      try {
        const wait = isRunning ? "touch ready; until [ -e go ]; do sleep 0.1; done; " : "";
        if (!isRunning) replace();
        const running = perform(session, bash(session, `${wait}touch ran; ${text}; echo over`));
        if (isRunning) {
          while (!existsSync(`${fixture.workspace}/ready`)) await new Promise((resolve) => setTimeout(resolve, 50));
          replace();
          writeFileSync(`${fixture.workspace}/go`, "");
        }
        const outcome = await running;
        expect(outcome).toMatchObject({
          kind: "failed",
          code: "quarantined",
          reason: expect.stringContaining(`its mount is gone: ${fixture.workspace}/${path}`),
        });
        expect(JSON.stringify(outcome)).not.toContain("a secret");
        expect(existsSync(`${fixture.workspace}/ran`)).toBe(isRunning);
        expect(await perform(session, bash(session, "true"))).toMatchObject({ kind: "failed" });
      } finally {
        await session.close();
        fixture.remove();
      }
    });
  });

  test.skipIf(IS_ELSEWHERE)(
    "a hidden file that the person replaces in another root ends a transactional session, and one in the workspace does not",
    async () => {
      const fixture = makeFixture({ ".env": "before\n", "a.txt": "a" });
      const reference = `${fixture.folder}/reference`;
      mkdirSync(reference);
      writeFileSync(`${reference}/.env`, "before\n");
      const roots = [
        { path: fixture.workspace, access: "read-write" as const },
        { path: reference, access: "read" as const },
      ];
      const session = await under
        .make()
        .open(profileOf(fixture, { roots, forbidden: ["/**/.env"] }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
      const replace = (path: string): string => execFileSync("sh", ["-ec", `echo 'a secret' > "$1.new"; mv "$1.new" "$1"`, "sh", path], { encoding: "utf8" });
      try {
        replace(`${fixture.workspace}/.env`);
        expect((await run(session, "cat .env; echo over")).out).toBe("over\n");
        replace(`${reference}/.env`);
        expect(await session.look({ argv: ["cat", `${reference}/.env`], input: "", timeoutMs: 60_000 }, new AbortController().signal)).toMatchObject({
          kind: "failed",
          reason: expect.stringContaining(`its mount is gone: ${reference}/.env`),
        });
        const outcome = await perform(session, bash(session, `cat ${reference}/.env`));
        expect(outcome).toMatchObject({ kind: "failed", code: "quarantined", reason: expect.stringContaining(`its mount is gone: ${reference}/.env`) });
      } finally {
        await session.close();
        fixture.remove();
      }
    },
  );

  test.skipIf(IS_ELSEWHERE)("leaves no setuid file in a bound workspace", async () => {
    const fixture = makeFixture(FILES);
    const session = await under
      .make()
      .open(profileOf(fixture, { settings: { workspace: "bind" } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    try {
      expect((await run(session, "cp /bin/true tool; chmod 6755 tool; find tool -printf '%m\\n'")).out).toBe("6755\n");
      expect(statSync(`${fixture.workspace}/tool`).mode & 0o7777).toBe(0o755);
    } finally {
      await session.close();
      fixture.remove();
    }
  });
}
