import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sandboxFile } from "../../../../src/sandbox/shipped-files.ts";
import { receiveLayer, sendLayer } from "../../../../src/sandbox/workspace/transport/layer.ts";
import { runsRootTests } from "../../../support/root.ts";
import { diskFolder, removeFolder } from "../../../support/run-folder.ts";
import { smallDisk } from "../../../support/small-disk.ts";

const USER = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const ROOT = "warder-layer-1\u0000493\0";

/** KIND NAME MODE SECONDS NANOSECONDS */
const entry = (kind: string, name: string, ...more: readonly string[]): string => `${[kind, name, "420", "0", "0", ...more].join("\0")}\0`;
const file = (name: string, content: string): string =>
  `${entry("file", name, String(content.length))}0\0${String(content.length)}\0${content}${String(content.length)}\0${String(0)}\0`;
/** Its content, and a hole up to its size. */
const sparse = (name: string, size: number, content: string): string =>
  `${entry("file", name, String(size))}0\0${String(content.length)}\0${content}${String(size)}\0${String(0)}\0`;
const whole = (body: string, count: number): string => `${ROOT}${body}leave\0end\0${String(count)}\0`;

describe("a layer that comes back from an engine elsewhere", () => {
  let folder = "";
  let upper = "";
  beforeEach(() => {
    folder = mkdtempSync(join(diskFolder(), "warder-test-"));
    upper = join(folder, "upper");
    mkdirSync(upper);
    writeFileSync(join(upper, "before"), "before");
  });
  afterEach(() => removeFolder(folder));

  const receive = (text: string | Buffer, limits: { maxBytes?: number; maxEntries?: number } = {}): Promise<void> =>
    receiveLayer(upper, Readable.from([Buffer.from(text)]), { user: USER, ...limits });
  const isUntouched = (): boolean => readFileSync(join(upper, "before"), "utf8") === "before" && readdirSync(folder).join() === "upper";

  test("has everything that an overlay knows: contents, holes, modes, links, whiteouts, opaque directories, names that are not UTF-8", async () => {
    const source = join(folder, "source");
    mkdirSync(join(source, "closed/inner"), { recursive: true });
    mkdirSync(join(source, "opaque"));
    writeFileSync(join(source, "closed/inner/a"), "a\n");
    writeFileSync(Buffer.concat([Buffer.from(`${source}/`), Buffer.from([0xff, 0x0a])]), "odd");
    writeFileSync(join(source, "sparse"), "begin");
    truncateSync(join(source, "sparse"), 3 * 1024 ** 3);
    writeFileSync(join(source, "tool"), "#!/bin/sh\n");
    chmodSync(join(source, "tool"), 0o4751);
    symlinkSync("../../etc/passwd", join(source, "link"));
    execFileSync("sh", ["-c", "mknod gone c 0 0; mkfifo pipe; chmod 0 closed"], { cwd: source });
    execFileSync(process.env["PYTHON"] ?? "python3", ["-c", "import os; os.setxattr('opaque', 'user.overlay.opaque', b'y')"], { cwd: source });
    const stream = new PassThrough();
    await Promise.all([sendLayer(source, stream), receiveLayer(upper, stream, { user: USER })]);
    expect(existsSync(join(upper, "before"))).toBe(false);
    expect(lstatSync(join(upper, "closed")).mode & 0o7777).toBe(0);
    chmodSync(join(upper, "closed"), 0o700);
    expect(readFileSync(join(upper, "closed/inner/a"), "utf8")).toBe("a\n");
    expect(readFileSync(Buffer.concat([Buffer.from(`${upper}/`), Buffer.from([0xff, 0x0a])]), "utf8")).toBe("odd");
    expect(statSync(join(upper, "sparse"))).toMatchObject({ size: 3 * 1024 ** 3 });
    expect(statSync(join(upper, "sparse")).blocks).toBeLessThan(1000);
    expect(statSync(join(upper, "tool")).mode & 0o7777).toBe(0o4751);
    expect(readlinkSync(join(upper, "link"))).toBe("../../etc/passwd");
    expect(lstatSync(join(upper, "gone"))).toMatchObject({ rdev: 0 });
    expect(lstatSync(join(upper, "gone")).isCharacterDevice()).toBe(true);
    expect(lstatSync(join(upper, "pipe")).isFIFO()).toBe(true);
    expect(spawnSync(sandboxFile("build/warder-host"), ["opaque", upper, "user"], { encoding: "utf8" }).stdout).toBe("opaque\0");
  });

  test("takes the place of what was there, as a whole", async () => {
    await receive(whole(file("a", "alpha") + entry("directory", "d", "0") + file("b", "beta") + "leave\0", 3));
    expect(readdirSync(upper, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(["a", "d", "d/b"]);
    expect(readdirSync(folder)).toEqual(["upper"]);
  });

  const HOSTILE: Readonly<Record<string, string>> = {
    "a name that leads up": whole(file("..", "x"), 1),
    "a name with a slash": whole(file("../escaped", "x"), 1),
    "an absolute name": whole(file("/tmp/escaped", "x"), 1),
    "the directory itself": whole(file(".", "x"), 1),
    "an empty name": whole(file("", "x"), 1),
    "a directory that leads up": whole(entry("directory", "..", "0") + file("escaped", "x") + "leave\0", 2),
    "a file through a link": whole(entry("link", "d", "/tmp") + entry("directory", "d", "0") + file("escaped", "x") + "leave\0", 3),
    "a name that comes twice": whole(file("a", "x") + file("a", "y"), 2),
    "a file in the place of a whiteout": whole(entry("whiteout", "a") + file("a", "y"), 2),
    "a device": whole(entry("device", "a", "8", "0"), 1),
    "an unknown kind": whole(entry("hard-link", "a", "b"), 1),
    "one that leaves more than it entered": `${ROOT}leave\0leave\0end\u00000\0`,
    "one that breaks off": `${ROOT}${file("a", "alpha")}`,
    "one that breaks off in a file": `${ROOT}${entry("file", "a", "10")}0\u000010\0short`,
    "one that counts wrong": whole(file("a", "x"), 2),
    "one with something behind its end": `${whole(file("a", "x"), 1)}more`,
    "a size that is none": whole(`${entry("file", "a", "-1")}0\u00000\0`, 1),
    "a part beyond the file's size": whole(`${entry("file", "a", "2")}0\u00003\0abc2\u00000\0`, 1),
    "parts that overlap": whole(`${entry("file", "a", "4")}0\u00002\0ab1\u00002\0cd4\u00000\0`, 1),
    "a mode with a type in it": whole(`file\0a\u000033188\u00000\u00000\u00000\u00000\u00000\0`, 1),
    "a word without an end": `${ROOT}${"x".repeat(100_000)}`,
    "no layer at all": "HTTP/1.1 200 OK\r\n\r\n",
    nothing: "",
  };
  test.each(Object.entries(HOSTILE))("is refused with %s, and what was there stays", async (_what, text) => {
    await expect(receive(text)).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("could not be brought back") });
    expect(isUntouched()).toBe(true);
    expect(existsSync("/tmp/escaped")).toBe(false);
  });

  test.runIf(runsRootTests)("that a full disk does not take stays on the engine, and it is said how it comes back", async () => {
    const place = join(smallDisk(), "upper");
    const received = receiveLayer(place, Readable.from([Buffer.from(whole(file("a", "x".repeat(3 * 1024 ** 2)), 1))]), { user: USER });
    await expect(received).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringContaining("No space left on device"),
      remedy: expect.stringMatching(/^It is still on the engine\. Free space on the disk of .*, then `warder changes list RUN`/u),
    });
    expect(existsSync(`${place}.new`)).toBe(false);
  });

  test("is refused with more bytes or entries than were allowed", async () => {
    await expect(receive(whole(file("a", "alpha") + file("b", "beta"), 2), { maxBytes: 8 })).rejects.toMatchObject({
      message: expect.stringContaining("more than may be brought back"),
    });
    await expect(receive(whole(file("a", "alph") + file("b", "beta") + file("c", "c"), 3), { maxBytes: 8 })).rejects.toThrow(/more than may/u);
    await expect(receive(whole(sparse("a", 9, "x"), 1), { maxBytes: 8 })).rejects.toThrow(/too large/u);
    await expect(receive(whole(file("a", "a") + file("b", "b"), 2), { maxEntries: 1 })).rejects.toMatchObject({
      message: expect.stringContaining("more entries"),
    });
    expect(isUntouched()).toBe(true);
    await receive(whole(file("a", "alph") + sparse("b", 8, "beta"), 2), { maxBytes: 8, maxEntries: 2 });
    expect(readdirSync(upper)).toEqual(["a", "b"]);
    expect(statSync(join(upper, "b")).size).toBe(8);
  });

  test("is refused when nothing more comes of it", async () => {
    const broken = new Readable({ read: () => undefined });
    broken.push(Buffer.from(`${ROOT}${file("a", "alpha")}`));
    setImmediate(() => broken.destroy(new Error("the connection was lost")));
    await expect(receiveLayer(upper, broken, { user: USER })).rejects.toMatchObject({ code: "sandbox-unavailable" });
    expect(isUntouched()).toBe(true);
  });
});

test("a layer that cannot be read is not sent in part", async () => {
  const folder = mkdtempSync(join(diskFolder(), "warder-test-"));
  try {
    await expect(sendLayer(join(folder, "none"), new PassThrough())).rejects.toMatchObject({ code: "sandbox-unavailable" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
