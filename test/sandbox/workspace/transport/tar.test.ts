import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TarEntry, tarOf } from "../../../../src/sandbox/workspace/transport/tar.ts";

const OWN = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const LONG = `${"deep/".repeat(30)}${"n".repeat(120)}`;

describe("an archive of a workspace", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-test-"));
    mkdirSync(join(folder, "out"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const made = async (entries: readonly TarEntry[]): Promise<string> => {
    const parts: Buffer[] = [];
    for await (const part of tarOf(entries)) parts.push(part);
    writeFileSync(join(folder, "a.tar"), Buffer.concat(parts));
    execFileSync("tar", ["--extract", "--preserve-permissions", "--file", join(folder, "a.tar"), "--directory", join(folder, "out")]);
    return join(folder, "out");
  };
  const file = (path: string, content: string | Buffer, changes: Partial<Extract<TarEntry, { type: "file" }>> = {}): TarEntry => {
    const source = join(folder, `source-${String(Math.random())}`);
    writeFileSync(source, content);
    return { ...OWN, type: "file", path, mode: 0o644, mtimeMs: 1_600_000_000_123.5, size: Buffer.byteLength(content), source, ...changes };
  };

  test("is read by another program as it was meant: names, modes, times, links, contents of every length", async () => {
    const sizes = [0, 1, 511, 512, 513, 1024 * 1024 + 7, 3 * 1024 * 1024];
    const out = await made([
      { ...OWN, type: "directory", path: "grüße", mode: 0o750, mtimeMs: 1_500_000_000_000 },
      ...sizes.map((size) => file(`size-${String(size)}`, Buffer.alloc(size, "x"))),
      file("grüße/a b\n", "umlaut\n", { mode: 0o4755 }),
      file(LONG, "long\n"),
      { ...OWN, type: "link", path: "link", mode: 0o777, mtimeMs: 0, target: `../${LONG}` },
    ]);
    for (const size of sizes) expect(readFileSync(join(out, `size-${String(size)}`)).equals(Buffer.alloc(size, "x"))).toBe(true);
    expect(readFileSync(join(out, "grüße/a b\n"), "utf8")).toBe("umlaut\n");
    expect(lstatSync(join(out, "grüße")).mode & 0o7777).toBe(0o750);
    expect(lstatSync(join(out, "grüße/a b\n")).mode & 0o7777).toBe(0o4755);
    expect(readFileSync(join(out, LONG), "utf8")).toBe("long\n");
    expect(readlinkSync(join(out, "link"))).toBe(`../${LONG}`);
    expect(lstatSync(join(out, "size-1")).mtimeMs).toBeCloseTo(1_600_000_000_123.5, 2);
  });

  test("holds as many bytes as were promised, when a file became shorter or longer meanwhile", async () => {
    const out = await made([file("short", "ab", { size: 4 }), file("long", "abcdef", { size: 4 }), file("next", "next")]);
    expect(["short", "long", "next"].map((name) => readFileSync(join(out, name), "utf8"))).toEqual(["ab\0\0", "abcd", "next"]);
  });

  test("is not made through a link that took a file's place", async () => {
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), join(folder, "swapped"));
    await expect(made([{ ...OWN, type: "file", path: "a", mode: 0o644, size: 6, source: join(folder, "swapped") }])).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringContaining("ELOOP"),
    });
  });

  test.skipIf(OWN.uid === 0)("is not made without a file that this user may not read", async () => {
    const entry = file("closed", "x");
    if (entry.type === "file") chmodSync(entry.source, 0);
    await expect(made([entry])).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("cannot be sent") });
  });

  test("keeps a time before 1970", async () => {
    const source = join(folder, "old");
    writeFileSync(source, "");
    utimesSync(source, new Date(-1_000_000), new Date(-1_000_000));
    const out = await made([{ ...OWN, type: "file", path: "old", mode: 0o600, mtimeMs: lstatSync(source).mtimeMs, size: 0, source }]);
    expect(lstatSync(join(out, "old")).mtimeMs).toBe(-1_000_000);
  });
});
