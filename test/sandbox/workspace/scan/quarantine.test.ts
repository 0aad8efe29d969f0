import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { watchBound } from "../../../../src/sandbox/workspace/scan/quarantine.ts";
import { compilePatterns } from "../../../../src/sandbox/workspace/scan/path-patterns.ts";
import { MAX_ENTRIES, scanRoot, type ScanOptions } from "../../../../src/sandbox/workspace/scan/scan.ts";
import { scanRoots } from "../../../../src/sandbox/workspace/scan/all-roots.ts";
import { makeCertificate } from "../../../support/certificate.ts";
import { makeFixture, profileOf, type SandboxFixture } from "../../../contract/sandbox-fixture.ts";

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = makeFixture({ "a.txt": "a" });
});
afterEach(() => fixture.remove());

const at = (path: string): string => join(fixture.workspace, path);

function watch(): ReturnType<typeof watchBound> {
  const profile = profileOf(fixture, { settings: { workspace: "bind" } });
  return watchBound(profile, scanRoots(profile, "none"), join(fixture.runDirectory, "quarantine"));
}

describe("what a command left in a bound workspace", () => {
  test("goes into quarantine beside what an earlier session of the run left there", () => {
    const quarantine = join(fixture.runDirectory, "quarantine");
    for (const round of ["one", "two"]) {
      const bound = watch();
      mkdirSync(at("sub/.git/hooks"), { recursive: true });
      writeFileSync(at("sub/.git/hooks/post-checkout"), round);
      expect(bound.check()).toEqual({ taken: [at("sub/.git/hooks")], faults: [] });
    }
    expect(readdirSync(quarantine).toSorted()).toEqual(["1-hooks", "2-hooks"]);
    expect(existsSync(at("sub/.git/hooks"))).toBe(false);
  });

  test("under a name that a pattern of keys has takes a key, and leaves a certificate", () => {
    const { cert, key } = makeCertificate("example.org");
    const profile = { ...profileOf(fixture, { settings: { workspace: "bind" } }), keys: [at("**/*.pem")] };
    const bound = watchBound(profile, scanRoots(profile, "none"), join(fixture.runDirectory, "quarantine"));
    writeFileSync(at("ca.pem"), cert);
    writeFileSync(at("server.pem"), cert + key);
    mkdirSync(at("directory.pem"));
    expect(bound.check().taken.toSorted()).toEqual([at("directory.pem"), at("server.pem")]);
    writeFileSync(at("ca.pem"), key);
    expect(bound.check()).toEqual({ taken: [at("ca.pem")], faults: [] });
  });

  test.each<readonly [what: string, text: string]>([
    ["a command", "exec touch ran\n"],
    ["a command by its letter, behind others", "pick 1234567 a\n# a comment\n \tx touch ran"],
    ["a command with another blank", "exec\ttouch ran\r\n"],
    ["more than anybody writes", "#".repeat(1024 * 1024 + 1)],
  ])("a rebase that would go on with %s goes into quarantine, wherever its repository is", (_what, text) => {
    for (const directory of [".git/rebase-merge", "sub/bare.git/worktrees/w/rebase-merge"]) {
      mkdirSync(at(directory), { recursive: true });
      const bound = watch();
      writeFileSync(at(`${directory}/git-rebase-todo`), text);
      expect(bound.check()).toEqual({ taken: [at(`${directory}/git-rebase-todo`)], faults: [] });
      expect(existsSync(at(`${directory}/git-rebase-todo`))).toBe(false);
    }
  });

  test("so does one whose list is a link, and one that was there without a command", () => {
    mkdirSync(at(".git/rebase-merge"), { recursive: true });
    const todo = at(".git/rebase-merge/git-rebase-todo");
    writeFileSync(todo, "pick 1234567 a\n");
    const bound = watch();
    expect(bound.check().taken).toEqual([]);
    writeFileSync(todo, "pick 1234567 a\nexec touch ran\n");
    expect(bound.check().taken).toEqual([todo]);
    writeFileSync(at("list.txt"), "pick 1234567 a\n");
    symlinkSync("../../list.txt", todo);
    expect(bound.check().taken).toEqual([todo]);
  });

  test("a rebase that waits with commits alone stays", () => {
    mkdirSync(at(".git/rebase-merge"), { recursive: true });
    const bound = watch();
    const lines = [
      "# exec",
      "pick 1234567 exec x",
      "edit 1234567 a",
      "label x",
      "reset x",
      "merge -C 1234567 x",
      "update-ref refs/heads/x",
      "execute",
      "xx",
      "break",
    ];
    writeFileSync(at(".git/rebase-merge/git-rebase-todo"), `${lines.join("\n")}\n`);
    expect(bound.check()).toEqual({ taken: [], faults: [] });
  });

  test("goes into quarantine whatever the length of its name", () => {
    const profile = { ...profileOf(fixture), forbidden: [`${fixture.workspace}/${"a".repeat(255)}`] };
    const named = watchBound(profile, [], join(fixture.runDirectory, "quarantine"));
    writeFileSync(at("a".repeat(255)), "x");
    expect(named.check()).toEqual({ taken: [at("a".repeat(255))], faults: [] });
  });

  test("goes into quarantine on another file system, whatever lies in the way", () => {
    const elsewhere = mkdtempSync("/dev/shm/warder-test-");
    try {
      const profile = profileOf(fixture, { settings: { workspace: "bind" } });
      const bound = watchBound(profile, scanRoots(profile, "none"), elsewhere);
      mkdirSync(at("sub/.git/hooks"), { recursive: true });
      writeFileSync(at("sub/.git/hooks/post-checkout"), "x");
      mkdirSync(at("sub/.git/.warder-quarantined-1/full"), { recursive: true });
      expect(bound.check()).toEqual({ taken: [at("sub/.git/hooks")], faults: [] });
      expect(readdirSync(join(elsewhere, "1-hooks"))).toEqual(["post-checkout"]);
      expect(readdirSync(at("sub/.git"))).toEqual([".warder-quarantined-1"]);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test("is taken away as fast beside much that an earlier session left", () => {
    const names = Array.from({ length: 1500 }, (_value, index) => String(index));
    // Of processor time: what else the machine does is not counted.
    const takenIn = (): number => {
      const bound = watch();
      for (const name of names) {
        mkdirSync(at(name), { recursive: true });
        writeFileSync(at(`${name}/.env`), "");
      }
      const before = process.cpuUsage();
      const { taken, faults } = bound.check();
      const { user, system } = process.cpuUsage(before);
      expect([taken.length, faults]).toEqual([names.length, []]);
      return user + system;
    };
    const alone = takenIn();
    // To read what an earlier session left takes long, if it is done for each of them: seventy times as long as all else.
    const quarantine = join(fixture.runDirectory, "quarantine");
    for (let number = 1; number <= 15_000; number += 1) writeFileSync(join(quarantine, `earlier-${String(number)}`), "");
    expect(takenIn()).toBeLessThan(10 * alone);
  });

  test("is taken away although something else cannot be", () => {
    const bound = watch();
    mkdirSync(at(".env"));
    // A mount point cannot be renamed; here a quarantine that cannot be made stands for it.
    writeFileSync(join(fixture.runDirectory, "quarantine"), "");
    writeFileSync(at("tool"), "");
    chmodSync(at("tool"), 0o6755);
    const { taken, faults } = bound.check();
    expect(taken).toEqual([]);
    expect(faults).toEqual([expect.stringContaining(".env")]);
    expect(faults[0]?.length).toBeLessThan(400);
    expect(statSync(at("tool")).mode & 0o7777).toBe(0o755);
  });
});

describe("more entries than are counted", () => {
  const options = (): ScanOptions => ({
    forbidden: compilePatterns(["/**/.env"]),
    findsKeys: false,
    alwaysForbidden: compilePatterns(["/**/.env"]),
    protected: compilePatterns([]),
    own: new Set(),
    skipped: new Set(),
    isVisible: () => true,
    count: { entries: MAX_ENTRIES, measuredBytes: 0, heads: 0 },
    withStats: true,
    moment: "after",
  });

  test("are refused, or told while what can be found is found", () => {
    writeFileSync(at(".env"), "x");
    expect(() => scanRoot(fixture.workspace, options())).toThrow(/more than 200000 entries/u);
    const complaints: string[] = [];
    const scan = scanRoot(fixture.workspace, { ...options(), onUnjudged: (complaint) => complaints.push(complaint) });
    expect(scan.masked).toEqual([{ path: at(".env"), type: "file" }]);
    expect(complaints).toEqual([expect.stringMatching(/more than 200000 entries/u)]);
  });
});
