import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHECK_LIMITS, checkingGit } from "../../../src/sandbox/workspace/repository/git.ts";
import { inCheckingRepository } from "../../../src/landing/git/checking-repository.ts";
import { repositorySecrets } from "../../../src/landing/git/secrets.ts";
import { createSecretScan } from "../../../src/sandbox/workspace/files/secret-scan.ts";
import { deltaPack } from "../../support/delta-pack.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { temporaryDirectory } from "../../sandbox/host/program.ts";

const MIB = 1024 ** 2;

/** The most memory that a git which works below a directory had at once, as far as somebody who looks now and then can tell. */
async function peakBytesOfGit(below: string, until: Promise<unknown>): Promise<number> {
  const end = new AbortController();
  const over = until.finally(() => {
    end.abort();
  });
  let peak = 0;
  while (!end.signal.aborted) {
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) peak = Math.max(peak, peakOf(id, below));
    await Promise.race([over, pause(10)]);
  }
  return peak;
}

function peakOf(id: string, below: string): number {
  try {
    if (!readFileSync(`/proc/${id}/environ`, "latin1").includes(`GIT_DIR=${below}`)) return 0;
    return 1024 * Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${id}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

describe.runIf(runsRootTests)("a repository that a run left", () => {
  let here: OverlaidWorkspace;
  beforeEach(async () => {
    here = await overlayWorkspace({}, (workspace) => {
      execFileSync("sh", ["-ec", "git init -q; git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m one"], { cwd: workspace });
    });
  });
  afterEach(() => here.remove());

  const reasons = async (): Promise<string> => {
    const review = await here.review();
    const report = await review.apply({ mayWrite: () => null });
    await review.close();
    return report.refused.map((refusal) => refusal.reason).join("\n");
  };

  test("with a pack of kilobytes that says it is gigabytes does not land, and costs the host no more than a check may take", async () => {
    const pack = deltaPack({ baseBytes: 15 * MIB, copies: 200, blobs: 1 });
    expect(pack.length).toBeLessThan(64 * 1024);
    mkdirSync(join(here.view, ".git/objects/pack"), { recursive: true });
    writeFileSync(join(here.view, `.git/objects/pack/pack-${pack.subarray(-20).toString("hex")}.pack`), pack);
    const landing = reasons();
    const peak = await peakBytesOfGit(here.runDirectory, landing);
    expect(await landing).toContain("git refuses the pack: it needs more memory than a check may take (1024 MiB).");
    // A library, a stack and what is mapped come on top.
    expect(peak).toBeLessThan(CHECK_LIMITS.memoryBytes + 256 * MIB);
  });

  test("is told apart from a disk that is full, on which the rest can be reviewed", async () => {
    const disk = temporaryDirectory();
    execFileSync("mount", ["-t", "tmpfs", "-o", "nr_inodes=1", "none", disk.path]);
    try {
      const changed = { workspace: here.workspace, layers: { upper: -1, lower: -1 }, scratch: join(disk.path, "check"), repository: ".git" };
      expect(await inCheckingRepository(changed, [], () => Promise.resolve(null))).toMatch(/^There is too little space left/u);
    } finally {
      execFileSync("umount", [disk.path]);
      disk.remove();
    }
  });

  test("with a file of refs that git does not read to its end does not land", async () => {
    const line = `# pack-refs with: ${"x".repeat(1005)}\n`;
    writeFileSync(join(here.view, ".git/packed-refs"), `${line.repeat(64 * 1024 + 1)}${"1".repeat(40)} refs/replace/${"2".repeat(40)}\n`);
    expect(await reasons()).toContain("git cannot read the refs: fatal: unexpected line in");
  });

  test("is not copied where that would fill the disk", async () => {
    mkdirSync(join(here.view, ".git/objects/pack"), { recursive: true });
    const packs = Array.from({ length: 400 }, (_unused, number) => `.git/objects/pack/pack-${String(number).padStart(40, "0")}.pack`);
    // Sparse: they take no room in the run.
    for (const path of packs) {
      writeFileSync(join(here.view, path), "");
      truncateSync(join(here.view, path), 1024 ** 3);
    }
    expect(await reasons()).toContain("There is too little space left");
  });
});

describe("git, when it looks at what a stranger made", () => {
  let top: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => (top = temporaryDirectory()));
  afterEach(() => top.remove());

  const withPack = async (pack: Buffer): Promise<{ path: string; repository: string }> => {
    const repository = join(top.path, "checked");
    mkdirSync(repository);
    const made = await checkingGit(repository)(["init", "--quiet", "--bare", "--template="]);
    expect(made).toMatchObject({ isDone: true });
    const path = join(repository, "objects/pack/pack-1.pack");
    mkdirSync(join(repository, "objects/pack"), { recursive: true });
    writeFileSync(path, pack);
    return { path, repository };
  };

  test("is ended when its time is over", async () => {
    // As much work as a minute of a fast machine.
    const { path, repository } = await withPack(deltaPack({ baseBytes: 15 * MIB, copies: 20, blobs: 200 }));
    const git = checkingGit(repository, { ...CHECK_LIMITS, timeMs: 1000 });
    const { isDone, complaint } = await git(["index-pack", path]);
    expect(isDone).toBe(false);
    expect(complaint).toMatch(/more time or room than a check may/u);
  });

  test("is ended when a file that it writes is too large", async () => {
    const { path, repository } = await withPack(deltaPack({ baseBytes: MIB, copies: 1, blobs: 100 }));
    const { isDone, complaint } = await checkingGit(repository, { ...CHECK_LIMITS, fileBytes: 1024 })(["index-pack", path]);
    expect(isDone).toBe(false);
    expect(complaint).not.toBe("");
  });

  test("finds no secrets where it could not read all: that is a reason, not an answer", async () => {
    const { path, repository } = await withPack(deltaPack({ baseBytes: 15 * MIB, copies: 10, blobs: 1 }));
    expect((await checkingGit(repository)(["index-pack", path])).isDone).toBe(true);
    const listed = execFileSync("git", ["show-index"], { input: readFileSync(path.replace(/pack$/u, "idx")), encoding: "utf8" });
    const ids = listed.split("\n").flatMap((line) => line.split(" ")[1] ?? []);
    expect(ids).toHaveLength(2);
    const git = checkingGit(repository, { ...CHECK_LIMITS, memoryBytes: 64 * MIB });
    const found = await repositorySecrets(ids, null, { git, secrets: createSecretScan(new Map()) });
    expect(found).toMatch(/cannot be searched for secrets/u);
    rmSync(repository, { recursive: true });
  });
});
