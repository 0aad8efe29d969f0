import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, beforeEach } from "vitest";
import { type TwoLayers, twoLayers } from "../../support/two-layers.ts";

let layers: TwoLayers;
let top: string;
beforeEach(() => {
  layers = twoLayers();
  ({ top } = layers);
});
const put: TwoLayers["put"] = (...of) => {
  layers.put(...of);
};
const flags: TwoLayers["flags"] = (...of) => layers.flags(...of);
const look: TwoLayers["look"] = (...of) => layers.look(...of);

describe("what programs of the host execute is flagged", () => {
  test("what cannot be looked at is flagged as that", () => expect(flags("/b", { kind: "added" })).toEqual(["unread"]));

  test.each([
    ["CODEOWNERS", "code-owners"],
    [".npmrc", "package-configuration"],
    [".lefthook/pre-push/audit.sh", "git-hook"],
    [".github/workflows/test.yml", "ci-workflow"],
    [".gitignore", "ignore-file"],
    ["Makefile", "build-file"],
  ])("%s, when it is deleted: what it kept from happening", (path, kind) => {
    put("lower", path, "x");
    expect(look(path, { kind: "deleted" }).flags).toEqual([{ kind, reason: expect.stringMatching(/^It is deleted, with what it kept from happening\./u) }]);
  });

  test("not other deletions", () => {
    for (const path of ["src/a.ts", "src/a.qqq", "node_modules/a/b.js", "run.sh"]) {
      put("lower", path, "x");
      expect(flags(path, { kind: "deleted" })).toEqual([]);
    }
  });

  test("a package's manifest, when a part of it changed that runs something", () => {
    put("lower", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest"}}');
    put("upper", "package.json", '{"version":"1.0.1","name":"a","scripts":{"test":"vitest"}}');
    expect(flags("package.json")).toEqual([]);
    put("upper", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest","prepare":"x"}}');
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", '{"name":"a","version":"1.0.0","scripts":{"test":"vitest"},"dependencies":{"b":"1"}}');
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", "{ no JSON");
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "package.json", `{"name":"a","scripts":{"test":"vitest"},"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    expect(flags("package.json")).toEqual(["package-script"]);
    put("upper", "new/composer.json", '{"scripts":{"post-install-cmd":"x"}}');
    expect(flags("new/composer.json", { kind: "added" })).toEqual(["package-script"]);
  });

  test("attributes that name a driver, not those that treat text", () => {
    put("upper", ".gitattributes", "* text=auto eol=lf\n*.png binary -diff\n");
    expect(flags(".gitattributes")).toEqual(["dot-file"]);
    put("upper", ".gitattributes", "*.c filter=indent\n");
    expect(flags(".gitattributes")).toEqual(["git-attributes"]);
    put("upper", ".gitattributes", `${"* text=auto\n".repeat(400_000)}*.c filter=indent\n`);
    expect(flags(".gitattributes")).toEqual(["git-attributes", "no-text"]);
  });

  test("a new program, and one that is made executable, not one that was", () => {
    put("upper", "tool", "#!/bin/sh\n");
    expect(flags("tool", { kind: "added", mode: 0o755 })).toEqual(["executable"]);
    put("lower", "tool", "#!/bin/sh\n");
    expect(flags("tool", { kind: "mode", mode: 0o755 })).toEqual(["executable"]);
    chmodSync(join(top, "lower/tool"), 0o755);
    expect(flags("tool", { mode: 0o755 })).toEqual(["changed-program"]);
    expect(flags("tool", { mode: 0o4755 })).toEqual(["set-id", "changed-program"]);
  });

  test("what everybody on the machine may change, unless it was so before", () => {
    put("upper", "notes.txt", "x");
    mkdirSync(join(top, "upper/d"));
    expect(flags("notes.txt", { kind: "added", mode: 0o646 })).toEqual(["world-writable"]);
    expect(flags("d", { kind: "added", type: "directory", mode: 0o777 })).toEqual(["world-writable"]);
    expect(flags("notes.txt", { kind: "added", mode: 0o664 })).toEqual([]);
    put("lower", "notes.txt", "y");
    expect(flags("notes.txt", { kind: "mode", mode: 0o666 })).toEqual(["world-writable"]);
    chmodSync(join(top, "lower/notes.txt"), 0o666);
    expect(flags("notes.txt", { mode: 0o666 })).toEqual([]);
    symlinkSync("notes.txt", join(top, "upper/link"));
    expect(flags("link", { kind: "added", type: "link", mode: 0o777 })).toEqual(["symlink"]);
  });

  test("a link that leaves the workspace, with what steers git in a repository's own files", () => {
    symlinkSync("/etc/passwd", join(top, "upper/out"));
    symlinkSync("src", join(top, "upper/in"));
    expect(flags("out", { type: "link" })).toEqual(["link"]);
    expect(flags("in", { type: "link" })).toEqual(["symlink"]);
    expect(flags(".git/hooks/pre-commit", { kind: "added" })).toEqual(["repository"]);
    expect(flags("deep/sub/.git", { kind: "added" })).toEqual(["repository"]);
  });
});

describe("a secret in what is to land is flagged", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;

  test.each([
    ["a token of a service", `const t = "${token}";`],
    ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"],
    ["a value that is known", "x correct-horse-battery y"],
    ["a known value in base64", Buffer.from("see: correct-horse-battery").toString("base64")],
    ["a known value in a URL", "https://a/?t=correct%2Dhorse%2Dbattery"],
    ["beyond the first part of a large file", `${"x".repeat(1024 * 1024 - 10)} ${token}`],
  ])("%s", (_name, content) => {
    put("upper", "notes.txt", content);
    expect(flags("notes.txt")[0]).toBe("secret");
  });

  test("not one that was there before, nor an example from a manual", () => {
    put("lower", "notes.txt", `old ${token}`);
    put("upper", "notes.txt", `new ${token} AKIAIOSFODNN7EXAMPLE`);
    expect(flags("notes.txt")).toEqual([]);
    put("upper", "notes.txt", `new ${token.replace("a1", "z9")}`);
    expect(flags("notes.txt")).toEqual(["secret"]);
  });

  test("in the name of what is new, or in what a link says", () => {
    put("upper", `d/${token}.txt`, "x");
    mkdirSync(join(top, "upper", `of-${token}`));
    symlinkSync("correct-horse-battery", join(top, "upper/link"));
    expect(flags(`d/${token}.txt`, { kind: "added" })).toEqual(["secret"]);
    expect(flags(`of-${token}`, { kind: "added", type: "directory" })).toEqual(["secret"]);
    expect(flags("link", { kind: "added", type: "link" })).toEqual(["secret", "symlink"]);
    put("upper", `of-${token}/inside`, "x");
    expect(flags(`of-${token}/inside`, { kind: "added" })).toEqual(["unknown-kind"]);
    put("lower", `d/${token}.txt`, "y");
    expect(flags(`d/${token}.txt`)).toEqual([]);
    symlinkSync("correct-horse-battery", join(top, "lower/link"));
    expect(flags("link", { type: "link" })).toEqual(["symlink"]);
  });

  test("in a special file that nobody reads to its end, nothing", () => {
    execFileSync("mkfifo", [join(top, "upper/pipe")]);
    expect(flags("pipe", { type: "file" })).toEqual(["unknown-kind"]);
    expect(flags("pipe", { type: "other" })).toEqual(["special-file"]);
  });
});

describe("a file that is long and takes no room", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const LONG = 2 ** 40;

  test("is flagged and not read: a hundred of them would keep a person waiting for hours", () => {
    put("upper", "hole.bin", token);
    truncateSync(join(top, "upper/hole.bin"), LONG);
    expect(flags("hole.bin", { kind: "added", size: LONG })).toEqual(["program", "sparse"]);
  });

  test("is read like others where it is short, or full, also behind zeros", () => {
    put("upper", "short.bin", token);
    truncateSync(join(top, "upper/short.bin"), 1024 ** 2);
    expect(flags("short.bin", { kind: "added" })).toContain("secret");
    put("upper", "zeros.bin", `${"\0".repeat(3 * 1024 ** 2)} ${token} ${"\0".repeat(3 * 1024 ** 2)}`);
    expect(flags("zeros.bin", { kind: "added" })).toContain("secret");
    put("upper", "full.bin", `${"x".repeat(9 * 1024 ** 2)} ${token}`);
    expect(flags("full.bin", { kind: "added" })).toContain("secret");
  });
});
