import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { ORDINARY_USER } from "../../support/ordinary-user.ts";
import { runsRootTests } from "../../support/root.ts";
import { builtProgram } from "../supervisor/process.ts";
import { holdThrough, mountsBelow, records, temporaryDirectory } from "./program.ts";

const host = builtProgram("warder-host");
const identity = [`--reuid=${String(ORDINARY_USER)}`, `--regid=${String(ORDINARY_USER)}`, "--clear-groups", "--inh-caps=-all"];

let top: ReturnType<typeof temporaryDirectory>;
let at: (name: string) => string;
beforeEach(() => {
  top = temporaryDirectory();
  at = (name) => `${top.path}/${name}`;
  for (const name of ["lower", "mask", "upper", "work", "view"]) {
    mkdirSync(at(name));
    chownSync(at(name), ORDINARY_USER, ORDINARY_USER);
  }
  for (const name of ["seen", "hidden"]) writeFileSync(at(`lower/${name}`), name);
  spawnSync("setpriv", [...identity, "mknod", at("mask/hidden"), "c", "0", "0"]);
});
afterEach(() => {
  top.remove();
});

const overlay = (): readonly string[] => ["overlay", at("view"), at("lower"), at("upper"), at("work"), "overlay-test", at("mask")];
const asUser = (...argv: readonly string[]) => spawnSync("setpriv", [...identity, ...argv], { encoding: "utf8", cwd: top.path });
const inside = (pid: number | undefined, script: string) => asUser(host, "enter", String(pid), at("view"), "sh", "-c", `cd ${top.path} && ${script}`);

const canMake = (await bubblewrapRuntime().check()).isReady || process.env["REQUIRE_DOCKER"] === "1";

describe.runIf(runsRootTests && canMake)("a namespace of an ordinary user's guardian", () => {
  it("shows an overlay to who enters it, to nobody else, and ends with it", async () => {
    const guardian = holdThrough(["setpriv", ...identity], ["namespace"], overlay());
    expect(await guardian.answer).toBe("ok");
    expect(inside(guardian.pid, "ls view; echo new > view/new; rm view/seen; id -u; grep -h CapEff /proc/self/status; cat /proc/self/uid_map").stdout).toBe(
      `seen\n${String(ORDINARY_USER)}\nCapEff:\t0000000000000000\n${String(ORDINARY_USER).padStart(10)} ${String(ORDINARY_USER).padStart(10)} ${"1".padStart(10)}\n`,
    );
    expect(inside(guardian.pid, "grep ' overlay overlay-test ' /proc/self/mountinfo").stdout).toMatch(/nosuid,nodev.*userxattr/u);
    expect(inside(guardian.pid, "ls view; mknod view/null c 1 3; chown 0 view/new; umount view").stdout).toBe("new\n");
    expect([mountsBelow(top.path), readdirSync(at("view"))]).toEqual([[], []]);
    guardian.stdin.end();
    expect(await guardian.ended).toBe(0);
    expect([readFileSync(at("upper/new"), "utf8"), readFileSync(at("lower/seen"), "utf8"), statSync(at("upper/new")).uid]).toEqual([
      "new\n",
      "seen",
      ORDINARY_USER,
    ]);
    expect(existsSync(at("upper/null"))).toBe(false);
  });

  it("is entered only where the overlay is, never another process's", async () => {
    const guardian = holdThrough(["setpriv", ...identity], ["namespace"]);
    expect(await guardian.answer).toBe("ok");
    expect(inside(guardian.pid, "echo ran")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("no overlay is mounted") });
    guardian.stdin.end();
    await guardian.ended;
    expect(inside(guardian.pid, "echo ran")).toMatchObject({ status: 1, stdout: "" });
    for (const pid of ["", "0", "1", "x", "self"]) expect([pid, asUser(host, "enter", pid, at("view"), "echo", "ran").stdout]).toEqual([pid, ""]);
  });

  it("sees nothing that is mounted on the host later, where the host tells of its mounts", () => {
    const waiting = `while [ ! -e ${at("go")} ]; do sleep 0.02; done; ls ${at("lower")}`;
    const script = `mount --make-rshared /; "$@" sh -c '${waiting}' & sleep 0.3; mount -t tmpfs none ${at("lower")}; touch ${at("go")}; wait`;
    const done = spawnSync("unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", "setpriv", ...identity, host, "apart"], {
      encoding: "utf8",
    });
    expect(done.stdout).toBe("hidden\nseen\n");
  });

  it("comes before every mount", () => {
    const plan = records(["namespace"], overlay(), ["namespace"], ["go"]);
    const done = spawnSync("setpriv", [...identity, host, "hold"], { input: plan, encoding: "utf8" });
    expect(done.stdout).toMatch(/^error 3 .*before every mount/u);
  });
});
