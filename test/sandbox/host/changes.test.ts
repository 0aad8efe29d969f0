import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readFileSync, readlinkSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtProgram } from "../supervisor/process.ts";
import { apply, changes, hold, temporaryDirectory, type Guardian } from "./program.ts";
import { rounds } from "../../support/extent.ts";
import { runsRootTests } from "../../support/root.ts";

let top: ReturnType<typeof temporaryDirectory>;
let at: (name: string) => string;
let guardian: Guardian | null = null;
beforeEach(() => {
  top = temporaryDirectory();
  at = (name) => `${top.path}/${name}`;
  for (const name of ["lower", "upper", "scratch", "view"]) mkdirSync(at(name));
});
afterEach(async () => {
  guardian?.stdin.end();
  await guardian?.ended;
  guardian = null;
  top.remove();
});

const shell = (directory: string, script: string): void => void execFileSync("sh", ["-c", script], { cwd: at(directory) });
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Fills the lower directory, mounts the overlay, changes the view, and lists what changed. */
async function changed(before: string, after: string): Promise<string[]> {
  shell("lower", before);
  guardian = hold(["overlay", at("view"), at("lower"), at("upper"), at("scratch")]);
  expect(await guardian.answer).toBe("ok");
  shell("view", after);
  return changes(at("upper"), at("lower")).map((change) => `${change.kind} ${change.type} ${change.path}`);
}

describe.runIf(runsRootTests)("warder-host changes", () => {
  it("names what was added, modified, deleted, and what only has another mode", async () => {
    expect(
      await changed(
        "echo a > a; echo b > b; echo c > c; ln -s a l; ln -s a same",
        "echo more >> a; rm b; chmod 600 c; ln -sfn c l; mkdir d; echo n > d/n; mkfifo f",
      ),
    ).toEqual(["modified file a", "deleted file b", "mode file c", "added directory d", "added file d/n", "added other f", "modified link l"]);
  });

  it("says nothing of files that were only copied up", async () => {
    expect(await changed("echo a > a; mkdir d; echo b > d/b; ln -s a l", "touch a d/b; chmod 600 a; chmod 644 a; mv d/b d/x; mv d/x d/b")).toEqual([]);
  });

  it("names what lies in directories that are closed to their owner, who is not root, and leaves them so", () => {
    // Nobody's on any machine.
    const user = 65_530;
    chmodSync(top.path, 0o755);
    shell("lower", "mkdir -p gone/inner old; echo a > gone/inner/a; echo b > old/b; chmod 600 gone/inner; chmod 400 old");
    shell("upper", "mkdir -p d/e old; echo c > d/e/c; echo d > old/d; mknod gone c 0 0; chmod 444 d/e; chmod 000 d old");
    shell(".", `chown -R ${String(user)}:${String(user)} lower upper`);
    const identity = [`--reuid=${String(user)}`, `--regid=${String(user)}`, "--clear-groups", "--inh-caps=-all"];
    const listed = spawnSync("setpriv", [...identity, "--", builtProgram("warder-host"), "changes", at("upper"), at("lower"), "user"], { encoding: "utf8" });
    expect(listed).toMatchObject({ status: 0, stderr: "" });
    for (const path of ["d", "d/e", "d/e/c", "gone/inner/a", "old/d"]) expect(listed.stdout).toContain(`\0${path}\0`);
    expect(["upper/d", "upper/d/e", "upper/old", "lower/old"].map((path) => statSync(at(path)).mode & 0o777)).toEqual([0o000, 0o444, 0o000, 0o400]);
  });

  it.runIf(spawnSync("strace", ["-V"]).status === 0)("lists nothing where a directory could not be read to its end", () => {
    shell("upper", "echo a > a");
    const fault = ["-qq", "-o", "/dev/null", "-e", "trace=getdents64", "-e", "inject=getdents64:error=EIO:when=1"];
    const listed = spawnSync("strace", [...fault, builtProgram("warder-host"), "changes", at("upper"), at("lower"), "trusted"], { encoding: "utf8" });
    expect(listed).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^warder-host: cannot be listed: .*Input\/output error/u) });
  });

  it("names what lies beside directories that are nested beyond any path, which it lists as what never lands", async () => {
    const nest = `use strict; mkdir "deep" or die; chdir "deep" or die; for (1..3000) { mkdir "a" or die; chdir "a" or die; }`;
    shell("upper", `perl -e '${nest}'; echo b > z`);
    const list = changes(at("upper"), at("lower")).map((change) => ({ what: `${change.kind} ${change.type}`, path: change.path }));
    expect(list.at(-1)).toEqual({ what: "added file", path: "z" });
    const deepest = list.at(-2);
    expect(deepest?.what).toBe("added other");
    expect(deepest?.path).toMatch(/^deep(?:\/a){1900,2040}$/u);
    expect(list.filter(({ what }) => what === "added directory")).toHaveLength(list.length - 2);
  });

  it("names each entry below a deleted directory, and below one that was made anew", async () => {
    expect(
      await changed(
        "mkdir -p d/e k/s; echo 1 > d/e/f; echo 2 > k/old; echo 3 > k/kept; echo 4 > k/s/t",
        "rm -r d; rm -r k; mkdir k; echo 3 > k/kept; echo 5 > k/new",
      ),
    ).toEqual([
      "deleted directory d",
      "deleted directory d/e",
      "deleted file d/e/f",
      "added file k/new",
      "deleted file k/old",
      "deleted directory k/s",
      "deleted file k/s/t",
    ]);
  });

  it("takes another type for a deletion and an addition", async () => {
    expect(await changed("echo a > a; mkdir b; echo c > b/c", "rm a; mkdir a; rm -r b; ln -s a b")).toEqual([
      "deleted file a",
      "added directory a",
      "deleted directory b",
      "deleted file b/c",
      "added link b",
    ]);
  });

  it("copes with names that contain newlines, and with a whole tree that is gone", async () => {
    expect(await changed("echo > 'a\nb'; echo > c", "rm -f *; echo > '\n'")).toEqual(["added file \n", "deleted file a\nb", "deleted file c"]);
  });

  it("refuses a tree with features that it does not read, instead of misreading it", () => {
    mkdirSync(at("upper/d"));
    execFileSync("python3", ["-c", 'import os,sys; os.setxattr(sys.argv[1], "trusted.overlay.redirect", b"/elsewhere")', at("upper/d")]);
    expect(spawnSync(builtProgram("warder-host"), ["changes", at("upper"), at("lower"), "trusted"])).toMatchObject({ status: 1 });
  });

  it("agrees with a comparison of both trees for random changes, and applying them makes the trees equal", async () => {
    const path = fc.constantFrom("a", "b", "d/a", "d/b", "d/e/a", "g/a", "g");
    const step = fc.oneof(
      fc
        .tuple(path, fc.integer({ min: 0, max: 3 }))
        .map(([name, content]) => `mkdir -p "$(dirname ${name})" 2>/dev/null && [ ! -d ${name} ] && echo ${content} > ${name} 2>/dev/null; :`),
      path.map((name) => `rm -rf ${name}`),
      path.map((name) => `chmod 700 ${name} 2>/dev/null; :`),
      path.map((name) => `rm -rf ${name} && ln -s target ${name} 2>/dev/null; :`),
      fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to} 2>/dev/null; :`),
    );
    const steps = (maxLength: number) => fc.array(step, { maxLength }).map((list) => list.join("\n"));
    const facts = (directory: string): string =>
      execFileSync(
        "sh",
        ["-c", "find . -mindepth 1 \\( -type d -printf '%P d %m\\n' -o -type l -printf '%P l %l\\n' -o -type f -printf '%P f %m ' -exec cat {} \\; \\) | sort"],
        { cwd: at(directory), encoding: "utf8" },
      );
    await fc.assert(
      fc.asyncProperty(steps(8), steps(8), async (before, after) => {
        shell(".", "rm -rf lower upper scratch && mkdir lower upper scratch");
        await changed(`${before}\n:`, `${after}\n:`);
        const wanted = facts("view");
        const listed = changes(at("upper"), at("lower"));
        guardian?.stdin.end();
        await guardian?.ended;
        const gone = listed.filter((change) => change.kind === "deleted").toReversed();
        const there = listed.filter((change) => change.kind !== "deleted");
        const applied = [
          ...gone.map((change) => ["remove", change.path, change.type === "directory" ? "directory" : "any"]),
          ...there.map((change) => {
            if (change.kind === "mode") return ["chmod", change.path, "any", change.mode];
            if (change.type === "directory") return ["mkdir", change.path, change.mode, "-1", "-1"];
            if (change.type === "link") return ["link", change.path, "any", readlinkSync(at(`upper/${change.path}`)), "-1", "-1"];
            return ["put", change.path, "any", change.mode, "-1", "-1"];
          }),
        ];
        const answers = apply(at("lower"), at("upper"), ...applied);
        expect(answers).toEqual(applied.map(() => "ok"));
        expect(facts("lower")).toBe(wanted);
      }),
      { numRuns: rounds(10, 40) },
    );
  });
});

describe.runIf(runsRootTests)("warder-host apply", () => {
  it("lands a sparse file as sparse as it was, byte for byte", () => {
    shell("upper", "printf begin > f; printf middle | dd of=f bs=1 seek=30000000 conv=notrunc 2>/dev/null; truncate -s 64M f");
    expect(apply(at("lower"), at("upper"), ["put", "f", "absent", "644", "-1", "-1"])).toEqual(["ok"]);
    expect(readFileSync(at("lower/f")).equals(readFileSync(at("upper/f")))).toBe(true);
    expect(statSync(at("lower/f")).blocks * 512).toBeLessThan(1 << 20);
  });

  it("puts a file with its mode and the root's owner, without setuid bits, beside no leftovers", () => {
    writeFileSync(at("upper/f"), "new");
    execFileSync("chown", ["55:66", at("lower")]);
    expect(apply(at("lower"), at("upper"), ["put", "f", "absent", "4755", "-1", "-1"])).toEqual(["ok"]);
    const status = statSync(at("lower/f"));
    expect([readFileSync(at("lower/f"), "utf8"), status.mode & 0o7777, status.uid, status.gid]).toEqual(["new", 0o755, 55, 66]);
    expect(readdirSync(at("lower"))).toEqual(["f"]);
  });

  it("is a conflict when something else is there than was reviewed, and then nothing happens", () => {
    writeFileSync(at("upper/f"), "new");
    writeFileSync(at("lower/f"), "theirs");
    symlinkSync("elsewhere", at("lower/l"));
    const put = (expected: string): string => apply(at("lower"), at("upper"), ["put", "f", expected, "644", "-1", "-1"])[0]?.split(" ")[0] ?? "";
    expect(["absent", sha256("other"), "directory", "link:elsewhere"].map(put)).toEqual(["conflict", "conflict", "conflict", "conflict"]);
    expect(
      apply(at("lower"), at("upper"), ["remove", "l", "link:other"], ["remove", "f", sha256("x")], ["link", "l", "absent", "t", "-1", "-1"]).every((line) =>
        line.startsWith("conflict"),
      ),
    ).toBe(true);
    expect([readFileSync(at("lower/f"), "utf8"), readlinkSync(at("lower/l"))]).toEqual(["theirs", "elsewhere"]);
    expect(put(sha256("theirs"))).toBe("ok");
    expect(readdirSync(at("lower")).toSorted()).toEqual(["f", "l"]);
  });

  it("never leaves the root: no link is followed, no path climbs out", () => {
    mkdirSync(at("outside"));
    writeFileSync(at("outside/victim"), "safe");
    symlinkSync(at("outside"), at("lower/out"));
    mkdirSync(at("upper/out"));
    writeFileSync(at("upper/out/victim"), "owned");
    writeFileSync(at("upper/f"), "owned");
    symlinkSync(at("outside/victim"), at("upper/evil"));
    const answers = apply(
      at("lower"),
      at("upper"),
      ["put", "out/victim", "any", "644", "-1", "-1"],
      ["put", "../outside/victim", "any", "644", "-1", "-1"],
      ["put", at("outside/victim"), "any", "644", "-1", "-1"],
      ["put", "evil", "any", "644", "-1", "-1"],
      ["remove", "out/victim", "any"],
      ["chmod", "out", "any", "777"],
      ["mkdir", "out/new", "755", "-1", "-1"],
      ["remove", "..", "any"],
      ["remove", "", "any"].slice(0, 1),
    );
    expect(answers).toHaveLength(9);
    for (const answer of answers) expect(answer).not.toBe("ok");
    expect([readFileSync(at("outside/victim"), "utf8"), readdirSync(at("outside")), existsSync(at("lower/evil"))]).toEqual(["safe", ["victim"], false]);
    // A link in the way of a file is replaced, never written through.
    symlinkSync(at("outside/victim"), at("lower/f"));
    expect(apply(at("lower"), at("upper"), ["put", "f", "any", "644", "-1", "-1"])).toEqual(["ok"]);
    expect([lstatSync(at("lower/f")).isFile(), readFileSync(at("outside/victim"), "utf8")]).toEqual([true, "safe"]);
  });

  it("replaces a name, not the file that other names share", () => {
    writeFileSync(at("lower/f"), "old");
    linkSync(at("lower/f"), at("second"));
    chmodSync(at("second"), 0o600);
    writeFileSync(at("upper/f"), "new");
    expect(apply(at("lower"), at("upper"), ["put", "f", sha256("old"), "644", "-1", "-1"])).toEqual(["ok"]);
    expect(readFileSync(at("second"), "utf8")).toBe("old");
  });

  it("copies only regular files, removes only empty directories, and goes on after a refusal", () => {
    shell("upper", "mkfifo p; echo x > ok");
    shell("lower", "mkdir full; echo > full/x; mkdir empty");
    const answers = apply(
      at("lower"),
      at("upper"),
      ["put", "p", "any", "644", "-1", "-1"],
      ["remove", "full", "directory"],
      ["remove", "empty", "directory"],
      ["put", "ok", "absent", "644", "-1", "-1"],
      ["nonsense", "x"],
    );
    expect(answers.map((line) => line.split(" ")[0])).toEqual(["error", "conflict", "ok", "ok", "error"]);
  });

  it("answers many at once in their order; after what could not be done, what depends on it is not tried", () => {
    shell("upper", "mkdir d; for i in $(seq 1200); do echo new-$i > d/$i; done; echo file > turned; echo new > one; echo new > two");
    shell("lower", "mkdir turned full; echo kept > turned/x; echo > full/x; echo old > one; ln one two; ln one three");
    const puts = Array.from({ length: 1200 }, (_, at) => ["put", `d/${String(at + 1)}`, "absent", "644", "-1", "-1"]);
    const names = ["one", "two"].map((name) => ["put", name, sha256("old\n"), "644", "-1", "-1"]);
    const put = ["put", "turned", "any", "644", "-1", "-1"];
    const remove = ["remove", "full", "directory"];
    const plan = [
      ["mkdir", "d", "755", "-1", "-1"],
      ...puts,
      ["end"],
      ...names,
      ["remove", "turned", "directory"],
      ["then"],
      put,
      ["then"],
      remove,
      remove,
      ["end"],
    ];
    const answers = apply(at("lower"), at("upper"), ...plan);
    expect(answers.slice(0, 1203)).toEqual(Array.from({ length: 1203 }, () => "ok"));
    const other = "conflict the directory has other entries";
    expect(answers.slice(1203)).toEqual([other, ...Array.from({ length: 2 }, () => "conflict what goes before it could not be done"), other]);
    for (const index of [1, 8, 9, 1200]) expect(readFileSync(at(`lower/d/${String(index)}`), "utf8")).toBe(`new-${String(index)}\n`);
    expect(readdirSync(at("lower/d"))).toHaveLength(1200);
    expect([readFileSync(at("lower/turned/x"), "utf8"), readFileSync(at("lower/three"), "utf8")]).toEqual(["kept\n", "old\n"]);
  });
});
