import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtProgram } from "../supervisor/process.ts";
import { hold, mountsBelow, records, temporaryDirectory } from "./program.ts";
import { runsRootTests } from "../../support/root.ts";
import { until } from "../../support/until.ts";

let top: ReturnType<typeof temporaryDirectory>;
let at: (name: string) => string;
beforeEach(() => {
  top = temporaryDirectory();
  at = (name) => `${top.path}/${name}`;
});
afterEach(() => {
  for (const path of mountsBelow(top.path).toReversed()) spawnSync(builtProgram("warder-host"), ["unmount", path]);
  top.remove();
});

const as = (uid: number, script: string) =>
  spawnSync("setpriv", [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "sh", "-c", script], { cwd: top.path, encoding: "utf8" });

/** Mounting needs root: elsewhere there is nothing to test. */
describe.runIf(runsRootTests)("warder-host hold", () => {
  it("mounts a plan, an overlay over an idmapped clone, and undoes it when its input ends", async () => {
    mkdirSync(at("work"));
    writeFileSync(at("work/file"), "old");
    const guardian = hold(
      ["dir", at("lower"), "700", "0", "0"],
      ["dir", at("upper"), "755", "1234", "1234"],
      ["dir", at("scratch"), "700", "1234", "1234"],
      ["dir", at("view"), "755", "0", "0"],
      ["idmap", at("work"), at("lower"), "ro", "0", "1234", "0", "1234"],
      ["overlay", at("view"), at("lower"), at("upper"), at("scratch")],
    );
    expect(await guardian.answer).toBe("ok");
    expect(statSync(at("view/file")).uid).toBe(1234);
    expect(as(1234, "echo new >> view/file && echo made > view/made")).toMatchObject({ status: 0 });
    expect([readFileSync(at("view/file"), "utf8"), readFileSync(at("work/file"), "utf8")]).toEqual(["oldnew\n", "old"]);
    const options = execFileSync("findmnt", ["-no", "OPTIONS", at("view")], { encoding: "utf8" });
    expect(options).toContain("nosuid");
    expect(options).toContain("nodev");
    guardian.stdin.end();
    expect(await guardian.ended).toBe(0);
    expect(mountsBelow(top.path)).toEqual([]);
    expect(existsSync(at("upper/made"))).toBe(true);
  });

  it("undoes everything when its owner is killed", async () => {
    mkdirSync(at("source"));
    mkdirSync(at("target"));
    // The owner is a shell that holds the pipe's only writing end.
    const plan = records(["bind", at("source"), at("target"), "rw"], ["go"]);
    writeFileSync(at("plan"), plan);
    const owner = spawn("sh", ["-c", '{ cat "$1"; exec sleep 1000; } | "$2" hold', "sh", at("plan"), builtProgram("warder-host")], {
      stdio: "ignore",
      detached: true,
    });
    await until("the mount", () => mountsBelow(top.path).length === 1);
    process.kill(-(owner.pid ?? 0), "SIGKILL");
    await until("the mount is gone", () => mountsBelow(top.path).length === 0);
    expect(readdirSync(at("target"))).toEqual([]);
  });

  it("shows files of other owners as they are, and maps both ways", async () => {
    mkdirSync(at("work"), { mode: 0o777 });
    execFileSync("sh", ["-c", "umask 0; echo > root; echo > mapped; echo > other; chown 1234:1234 mapped; chown 77:77 other; chmod 777 ."], {
      cwd: at("work"),
    });
    mkdirSync(at("view"));
    const guardian = hold(["idmap", at("work"), at("view"), "rw", "0", "1234", "0", "1234"]);
    expect(await guardian.answer).toBe("ok");
    expect(["root", "mapped", "other"].map((name) => statSync(at(`view/${name}`)).uid)).toEqual([1234, 0, 77]);
    expect(as(1234, "echo > view/new")).toMatchObject({ status: 0 });
    expect(statSync(at("work/new")).uid).toBe(0);
    guardian.kill("SIGTERM");
    expect(await guardian.ended).toBe(0);
    expect(mountsBelow(top.path)).toEqual([]);
  });

  it("undoes what it did when a later record fails, and says which and why", async () => {
    mkdirSync(at("source"));
    mkdirSync(at("target"));
    const guardian = hold(["bind", at("source"), at("target"), "ro"], ["bind", at("missing"), at("target"), "ro"]);
    expect(await guardian.answer).toMatch(/^error 2 .*missing/u);
    expect(await guardian.ended).toBe(1);
    expect(mountsBelow(top.path)).toEqual([]);
  });

  const refused: readonly (readonly [string, (path: (name: string) => string) => readonly string[]])[] = [
    ["an unknown record", () => ["format", "/"]],
    ["too few fields", (path) => ["bind", path("source"), path("target")]],
    ["a source that is a link", (path) => ["bind", path("link"), path("target"), "ro"]],
    ["a target below a link", (path) => ["bind", path("source"), path("link/target"), "ro"]],
    ["a relative path", () => ["bind", "source", "target", "ro"]],
    ["an access that is neither ro nor rw", (path) => ["bind", path("source"), path("target"), "rx"]],
    ["a directory whose place is a link", (path) => ["dir", path("link"), "755", "0", "0"]],
    ["setuid bits", (path) => ["dir", path("new"), "4755", "0", "0"]],
  ];
  it.each(refused)("refuses %s", async (_name, record) => {
    mkdirSync(at("source/target"), { recursive: true });
    mkdirSync(at("target"));
    symlinkSync("source", at("link"));
    expect(await hold(record(at)).answer).toMatch(/^error 1 /u);
    expect(mountsBelow(top.path)).toEqual([]);
  });

  it("makes a read-only clone read-only and a sized memory disk bounded", async () => {
    mkdirSync(at("source"));
    mkdirSync(at("target"));
    mkdirSync(at("memory"));
    const guardian = hold(["bind", at("source"), at("target"), "ro"], ["tmpfs", at("memory"), "1048576", "1234", "1234"]);
    expect(await guardian.answer).toBe("ok");
    expect(() => writeFileSync(at("target/x"), "")).toThrow("EROFS");
    expect(as(1234, "head -c 2000000 /dev/zero > memory/x").stderr).toContain("No space left");
    guardian.stdin.end();
    await guardian.ended;
  });

  it("mounts an image through a loop device that goes with the mount", async ({ skip }) => {
    if (spawnSync("mkfs.ext4", ["-V"]).status !== 0 || !existsSync("/dev/loop-control")) skip();
    execFileSync("sh", ["-c", "truncate -s 16M disk && mkfs.ext4 -q disk && mkdir disk-mount"], { cwd: top.path });
    const guardian = hold(["image", at("disk"), at("disk-mount")]);
    expect(await guardian.answer).toBe("ok");
    expect(execFileSync("losetup", ["-j", at("disk")], { encoding: "utf8" })).not.toBe("");
    guardian.stdin.end();
    await guardian.ended;
    await until("the loop device is free", () => execFileSync("losetup", ["-j", at("disk")], { encoding: "utf8" }) === "");
    expect(mountsBelow(top.path)).toEqual([]);
  });

  it("unmounts what a killed guardian left, and is content when nothing is there", async () => {
    mkdirSync(at("source"));
    mkdirSync(at("target"));
    const guardian = hold(["bind", at("source"), at("target"), "ro"]);
    await guardian.answer;
    guardian.kill("SIGKILL");
    await guardian.ended;
    expect(mountsBelow(top.path)).toEqual([at("target")]);
    for (let round = 0; round < 2; round += 1)
      expect(spawnSync(builtProgram("warder-host"), ["unmount", at("target"), at("nothing")])).toMatchObject({ status: 0 });
    expect(mountsBelow(top.path)).toEqual([]);
  });
});
