import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runsRootTests } from "../../support/root.ts";
import { builtProgram } from "../supervisor/process.ts";
import { temporaryDirectory } from "./program.ts";

let top: ReturnType<typeof temporaryDirectory>;
let at: (name: string) => string;
beforeEach(() => {
  top = temporaryDirectory();
  at = (name) => `${top.path}/${name}`;
  mkdirSync(at("upper"));
});
afterEach(() => {
  top.remove();
});

/** Nobody's on any machine. */
const USER = 65_530;
const AS_USER = ["setpriv", `--reuid=${String(USER)}`, `--regid=${String(USER)}`, "--clear-groups", "--inh-caps=-all", "--"];

type Wanted = { readonly before?: string; readonly entries?: number; readonly bytes?: number; readonly settled?: boolean; readonly as?: readonly string[] };

/** Copies the layer to `to`, or looks at it. */
function snapshot(to: string | null, { before, entries = 1000, bytes = 1_000_000, settled = true, as = [] }: Wanted = {}): SpawnSyncReturns<string> {
  if (to !== null) mkdirSync(at(to));
  if (to !== null && as.length > 0) execFileSync("chown", [String(USER), at(to), top.path]);
  const from = before === undefined ? ["-", "-"] : [at(before), at(`${before}.index`)];
  const words = [String(entries), String(bytes), settled ? "settled" : "unsettled", ...from, ...(to === null ? [] : [at(to), at(`${to}.index`)])];
  const [program = "", ...rest] = [...as, builtProgram("warder-host"), "snapshot", at("upper"), "user", ...words];
  return spawnSync(program, rest, { encoding: "utf8" });
}

function lay(from: string, to: string): SpawnSyncReturns<string> {
  mkdirSync(at(to));
  return spawnSync(builtProgram("warder-host"), ["lay", at(from), at(`${from}.index`), at(to), "user"], { encoding: "utf8" });
}

const shell = (script: string, directory = "upper"): void => void execFileSync("sh", ["-ec", script], { cwd: at(directory) });
/** What an observer can tell of a tree, but for its own times of change. */
const facts = (directory: string): string =>
  execFileSync(
    "sh",
    [
      "-c",
      "find . -mindepth 1 ! -type c -printf '%P %y %m %U %G %s %T@ %l\\n' | grep -v ' d ' | sort; find . -type d -printf '%P %m %U %G %T@\\n' | sort; find . -type f -exec sha256sum {} + | sort; getfattr --absolute-names -R -h -d -m - . | sort; find . -type c; find . ! -type c -print0 | sort -z | xargs -0 getfacl -P 2>/dev/null",
    ],
    {
      cwd: at(directory),
      encoding: "utf8",
    },
  );

describe.runIf(runsRootTests)("warder-host snapshot", () => {
  it("copies all that a layer has: owners, modes, times, links, pipes, whiteouts, holes, attributes, lists; and lays it out again", () => {
    shell(
      "echo a > a; ln a hard; ln -s /etc/shadow link; mkdir -p d/e closed; echo in > d/e/in; mkfifo pipe; mknod gone c 0 0; truncate -s 64M hole; echo x >> hole; chmod 4755 a; chmod 0 closed; chown 1:2 d/e/in; setfattr -n user.overlay.opaque -v y d; setfattr -n user.note -v 1 a; setfacl -m u:33:r d/e/in; setfacl -d -m u:33:rwx d; touch -d 2001-02-03 d/e/in d/e",
    );
    const [answer] = snapshot("one").stdout.split("\n");
    expect(answer).toMatch(/^changed 10 \d+ \d+$/u);
    expect(facts("one")).toBe(facts("upper"));
    expect(lstatSync(at("one/hole")).blocks).toBeLessThan(64);
    expect(lay("one", "again")).toMatchObject({ status: 0 });
    expect(facts("again")).toBe(facts("upper"));
    expect(statSync(at("again/a")).ino).toBe(statSync(at("again/hard")).ino);
    expect(statSync(at("again/a")).ino).not.toBe(statSync(at("one/a")).ino);
  });

  it("links what did not change to the copy before, which no write in place reaches", () => {
    shell("echo same > same; echo one > other; mkdir d");
    snapshot("one");
    shell("printf X | dd of=other bs=1 conv=notrunc status=none");
    expect(snapshot("two", { before: "one" }).stdout).toMatch(/^changed 3 4 9\n$/u);
    expect(statSync(at("two/same")).ino).toBe(statSync(at("one/same")).ino);
    expect([readFileSync(at("one/other"), "utf8"), readFileSync(at("two/other"), "utf8")]).toEqual(["one\n", "Xne\n"]);
    shell("printf Y | dd of=same bs=1 conv=notrunc status=none");
    expect([readFileSync(at("one/same"), "utf8"), readFileSync(at("two/same"), "utf8")]).toEqual(["same\n", "same\n"]);
  });

  it.each([
    ["another content of the same size and time, a moment later", "printf two > f; touch -d 2001-02-03 f"],
    ["another mode", "chmod 600 f"],
    ["an attribute", "setfattr -n user.a -v 1 f"],
    ["a file less", "rm f"],
    ["a file more", "echo n > n"],
    ["another file of that name", "printf one > g; touch -d 2001-02-03 g; mv g f"],
    ["a directory that hides what is below", "setfattr -n user.overlay.opaque -v y d"],
    ["a link elsewhere", "ln -sfn b l"],
    ["a file in place of a directory", "rmdir d; echo d > d"],
  ])("sees %s", (_what, change) => {
    shell("printf one > f; touch -d 2001-02-03 f; ln -s a l; mkdir d");
    snapshot("one");
    expect(snapshot(null, { before: "one" }).stdout).toMatch(/^same 3 0 3\n$/u);
    shell(change);
    expect(snapshot("two", { before: "one" }).stdout).toMatch(/^changed /u);
    expect(facts("two")).toBe(facts("upper"));
  });

  it("compares what may have been written without a new time, once processes were there that could", () => {
    shell("printf one > f; touch -d 2001-02-03 f");
    execFileSync("sleep", ["0.1"]);
    snapshot("one", { settled: false });
    // What a mapping writes leaves no time: the copy differs from what its times say.
    writeFileSync(at("one/f"), "old");
    expect(snapshot("two", { before: "one" }).stdout).toMatch(/^changed /u);
    expect(readFileSync(at("two/f"), "utf8")).toBe("one");
  });

  it("copies nothing where it would be more than was allowed, and says what", () => {
    shell("mkdir d; for i in 1 2 3; do echo 123456 > d/$i; done");
    expect(snapshot("many", { entries: 3 }).stdout).toBe("too-many 3\n");
    expect(snapshot("large", { bytes: 20 }).stdout).toMatch(/^too-large \d+\n$/u);
    for (const copy of ["many", "large"]) expect(execFileSync("ls", ["-A", at(copy)], { encoding: "utf8" })).toBe("");
    // What is there already is not copied again.
    snapshot("one");
    expect(snapshot("two", { before: "one", bytes: 0 }).stdout).toMatch(/^same 4 0 21\n$/u);
  });

  it("says what an empty layer is", () => {
    expect(snapshot("one").stdout).toBe("empty 0 0 0\n");
  });

  it("copies what its owner took the right to read from, who is not root, and leaves it so", () => {
    shell(
      `mkdir -p d/e; echo c > d/e/c; echo f > f; setfattr -n user.note -v 1 f; mknod gone c 0 0; chmod 000 f d/e/c d/e d; chown -R ${String(USER)}:${String(USER)} .`,
    );
    chmodSync(top.path, 0o755);
    const before = facts("upper");
    const made = snapshot("one", { as: AS_USER });
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(facts("upper")).toBe(before);
    expect(facts("one")).toBe(before);
    expect(snapshot(null, { before: "one", as: AS_USER }).stdout).toMatch(/^same 5 /u);
  });

  it("ends where something is that no copy can have", () => {
    shell("mknod null c 1 3");
    expect(snapshot("one")).toMatchObject({ status: 1, stderr: expect.stringContaining("a device: null") });
    shell(`rm null; echo f > f; chown ${String(USER)}:0 f .; chmod 644 f`);
    chmodSync(top.path, 0o755);
    expect(snapshot("two", { as: AS_USER })).toMatchObject({ status: 1, stderr: expect.stringContaining("its owner cannot be kept: f") });
  });

  it("lays out no copy that is not whole", () => {
    shell("mkdir d; echo one > d/f; echo two > g");
    for (const [name, harm] of [
      ["shorter", (copy: string) => truncateSync(at(`${copy}/d/f`), 1)],
      ["gone", (copy: string) => rmSync(at(`${copy}/g`))],
      ["more", (copy: string) => linkSync(at(`${copy}/g`), at(`${copy}/h`))],
      ["index", (copy: string) => truncateSync(at(`${copy}.index`), 60)],
    ] as const) {
      snapshot(name);
      harm(name);
      expect(lay(name, `${name}-again`).status, name).toBe(1);
    }
    utimesSync(at("upper"), 1, 1);
  });
});
