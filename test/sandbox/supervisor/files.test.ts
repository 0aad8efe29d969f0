import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Expectation } from "../../../src/sandbox/supervisor/files.ts";
import { commandUid, makeWorkspace, openSession, shell, type TestSession, type Workspace } from "./process.ts";
import { runsRootTests } from "../../support/root.ts";

const sha256 = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");
const any: Expectation = { kind: "any" };

// As gVisor's of 2022 is, and Linux before 5.6.
const KERNELS = runsRootTests ? [[""], [" on a kernel without openat2", "openat2"]] : [[""]];

describe.each(KERNELS)("the file verbs%s", (_kernel, lacks) => {
  let session: TestSession;
  let outside: Workspace;
  let at: (name: string) => string;
  beforeAll(async () => {
    session = await openSession(undefined, undefined, lacks);
    outside = makeWorkspace();
    at = (name) => `${session.workspace.path}/${name}`;
    writeFileSync(`${outside.path}/secret`, "secret");
  });
  afterAll(async () => {
    await session.close();
    outside.remove();
  });

  const whole = (path: string) => session.client.read({ path, offset: 0, length: 1_000_000 });
  const write = (path: string, content: string, expectation: Expectation = any) => session.client.write({ path, content: Buffer.from(content), expectation });
  /** What a command of the session makes, so that it belongs to the user. */
  const make = (script: string) => shell(session, script);

  describe("search", () => {
    const search = (path: string, text: string, options: { ignoresCase?: boolean; maxMatches?: number; maxPerFile?: number } = {}) =>
      session.client.search({ path, text, ignoresCase: false, maxMatches: 1000, maxPerFile: 1000, ...options });
    const found = async (...request: Parameters<typeof search>) => {
      const reply = await search(...request);
      if (reply.kind !== "done") throw new Error(`${reply.code}: ${reply.reason}`);
      return { ...reply.value, lines: reply.value.lines.map(({ name, line, text }) => `${name}:${line}:${text}`) };
    };

    it("gives the lines of a directory in order, whatever their ends, and skips what is no text, .git and links", async () => {
      await make(
        `mkdir -p ${at("s")}/b ${at("s")}/.git ${at("s")}/z; cd ${at("s")}; printf 'one\\ntwo needle\\nneedle needle\\nlast needle' >a.txt; printf '\\nneedle\\r\\n' >b/c.txt; printf 'needle' >.git/x
         printf 'needle\\0' >z/binary; printf 'Needle.*\\n' >z/odd; ln -s ${outside.path} out; ln -s a.txt in; mkfifo pipe; : >empty; echo no >z.txt`,
      );
      expect(await found(at("s"), "needle")).toEqual({
        lines: ["a.txt:2:two needle", "a.txt:3:needle needle", "a.txt:4:last needle", "b/c.txt:2:needle\r"],
        isTruncated: false,
        skipped: 1,
      });
      expect((await found(at("s"), "eedle.*")).lines).toEqual(["z/odd:1:Needle.*"]);
      expect((await found(at("s/z"), "NEEDLE.*", { ignoresCase: true })).lines).toEqual(["odd:1:Needle.*"]);
      expect((await found(at("s/a.txt"), "ne")).lines).toEqual([":1:one", ":2:two needle", ":3:needle needle", ":4:last needle"]);
      expect((await found(at("s/in"), "one")).lines).toEqual([":1:one"]);
    });

    it("counts the lines of a long file and shows the beginning of a long line", async () => {
      const lines = Array.from({ length: 300_000 }, (_, index) => (index % 50_000 === 49_999 ? `${"x".repeat(600)} needle` : `line ${index}`));
      writeFileSync(at("many"), lines.join("\n"));
      const { lines: got } = await found(at("many"), "needle");
      expect(got).toEqual([50_000, 100_000, 150_000, 200_000, 250_000, 300_000].map((line) => `:${line}:${"x".repeat(512)}`));
      writeFileSync(at("unbroken"), "x".repeat(2 ** 20 + 1));
      expect(await found(at("unbroken"), "x")).toEqual({ lines: [], isTruncated: false, skipped: 1 });
    });

    it("finds what grep finds, wherever the parts of a file meet", async () => {
      const words = ["ab", "aab", "b", "\n", "\n\n", "abab", "aa", "AB"];
      let state = 7;
      const next = (limit: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % limit;
      };
      const text = Array.from({ length: 1_200_000 }, () => words[next(words.length)]).join("");
      writeFileSync(at("random"), text);
      for (const [needle, ignoresCase] of [
        ["abaab", false],
        ["aabaabab", true],
        ["bb", true],
      ] as const) {
        const expected = text.split("\n").flatMap((line, index) => ((ignoresCase ? line.toLowerCase() : line).includes(needle) ? [index + 1] : []));
        const reply = await search(at("random"), needle, { ignoresCase, maxMatches: 100_000, maxPerFile: 100_000 });
        expect(reply.kind === "done" && reply.value.lines.map(({ line }) => line)).toEqual(expected.slice(0, 100_000));
      }
    });

    it("stops at the lines that were asked for, and says so", async () => {
      expect(await found(at("s"), "needle", { maxPerFile: 1 })).toMatchObject({ lines: ["a.txt:2:two needle", "b/c.txt:2:needle\r"], isTruncated: false });
      expect(await found(at("s"), "needle", { maxMatches: 2 })).toMatchObject({ lines: ["a.txt:2:two needle", "a.txt:3:needle needle"], isTruncated: true });
      expect(await found(at("s"), "needle", { maxMatches: 5 })).toMatchObject({ isTruncated: false });
    });

    it("leaves no root, refuses a FIFO, and takes no text of several lines", async () => {
      await make(`chmod 000 ${at("s/z.txt")}`);
      expect(await search(outside.path, "secret")).toMatchObject({ kind: "failed", code: "outside-roots" });
      expect(await search(at("s/out"), "secret")).toMatchObject({ kind: "failed", code: "outside-roots" });
      expect(await search(at("s/pipe"), "secret")).toMatchObject({ kind: "failed", code: "not-a-directory" });
      expect(await search(at("s/none"), "secret")).toMatchObject({ kind: "failed", code: "not-found" });
      expect(await found(at("s"), "no")).toMatchObject({ lines: [], skipped: 2 });
      for (const text of ["", "a\nb", "a\0b", "x".repeat(4097)]) expect(await search(at("s"), text)).toMatchObject({ kind: "failed", code: "bad-request" });
    });
  });

  describe("read", () => {
    it("gives a range, the size and the digest of the whole file", async () => {
      const data = randomBytes(200_000);
      writeFileSync(at("data"), data);
      const reply = await session.client.read({ path: at("data"), offset: 70_000, length: 100_000 });
      expect(reply).toMatchObject({ kind: "done", value: { size: 200_000, sha256: sha256(data), real: at("data"), links: 1 } });
      expect(reply.kind === "done" && Buffer.compare(reply.value.bytes, data.subarray(70_000, 170_000))).toBe(0);
    });

    it("past the end gives nothing, and an empty file is empty", async () => {
      writeFileSync(at("empty"), "");
      expect(await session.client.read({ path: at("data"), offset: 300_000, length: 10 })).toMatchObject({
        value: { bytes: new Uint8Array(0), size: 200_000 },
      });
      expect(await whole(at("empty"))).toMatchObject({ value: { bytes: new Uint8Array(0), size: 0, sha256: sha256("") } });
    });

    it("reads a range of a file that is too long to be hashed, and hashes one that is just short enough", async () => {
      writeFileSync(at("long"), "x");
      truncateSync(at("long"), 64 * 1024 * 1024);
      expect(await session.client.read({ path: at("long"), offset: 0, length: 1 })).toMatchObject({ value: { sha256: sha256(readFileSync(at("long"))) } });
      truncateSync(at("long"), 64 * 1024 * 1024 + 1);
      expect(await session.client.read({ path: at("long"), offset: 0, length: 2 })).toMatchObject({
        value: { sha256: null, bytes: Uint8Array.of(120, 0), size: 67_108_865 },
      });
    });

    it("follows a link that stays in the root, also an absolute one, and refuses one that leaves it", async () => {
      writeFileSync(at("target"), "inside");
      symlinkSync(at("target"), at("absolute"));
      symlinkSync(`${outside.path}/secret`, at("leaves"));
      symlinkSync(outside.path, at("leaves-by-directory"));
      expect(await whole(at("absolute"))).toMatchObject({ value: { real: at("target") } });
      for (const path of [at("leaves"), at("leaves-by-directory/secret"), at(`../../../..${outside.path}/secret`), `${outside.path}/secret`]) {
        expect(await whole(path)).toMatchObject({ kind: "failed", code: "outside-roots" });
      }
    });

    it("refuses what is no regular file, without blocking", async () => {
      execFileSync("mkfifo", [at("fifo")]);
      mkdirSync(at("folder"));
      symlinkSync("fifo", at("to-fifo"));
      expect(await whole(at("fifo"))).toMatchObject({ code: "not-a-file" });
      expect(await whole(at("to-fifo"))).toMatchObject({ code: "not-a-file" });
      expect(await whole(at("folder"))).toMatchObject({ code: "is-directory" });
      expect(await whole(at("nothing"))).toMatchObject({ code: "not-found" });
    });

    it.runIf(runsRootTests)("has the rights of a command", async () => {
      writeFileSync(at("roots-own"), "x", { mode: 0o600 });
      expect(await whole(at("roots-own"))).toMatchObject({ code: "permission" });
    });

    it("never leaves the root while a command of another session swaps a directory for a link", async () => {
      await make("mkdir -p swapped/x; echo inside > swapped/secret");
      // The attacker is another supervisor's command: a second lane on the same workspace.
      const other = await openSession([]);
      const script = `cd ${session.workspace.path} && while :; do mv -T swapped away; ln -s ${outside.path} swapped; rm swapped; mv -T away swapped; done`;
      const end = new AbortController();
      const attack = shell(other, script, { signal: end.signal });
      // A long way between looking at the directory and opening it again: the walk goes in and out of it 700 times.
      const path = at(`swapped/${"x/../".repeat(700)}secret`);
      const contents = new Set<string>();
      // For two seconds, and until it was there when it was looked at.
      for (const patience = performance.now() + 2000; performance.now() < patience || !contents.has("inside");) {
        const reply = await whole(path);
        contents.add(reply.kind === "done" ? Buffer.from(reply.value.bytes).toString().trim() : reply.code);
      }
      end.abort();
      expect(contents).not.toContain("secret");
      expect(await attack).toMatchObject({ cause: "cancelled" });
      await other.close();
    });
  });

  describe("hash", () => {
    it("gives a digest for each readable file below a root and null for the rest, in order", async () => {
      const reply = await session.client.hash([at("target"), at("fifo"), at("nothing"), at("leaves"), at("absolute"), at("folder"), "/etc/passwd"]);
      expect(reply).toMatchObject({ value: [sha256("inside"), null, null, null, sha256("inside"), null, null] });
    });
  });

  describe("list", () => {
    it("sorts by bytes, a directory before its content, with lstat types and without entering links", async () => {
      mkdirSync(at("tree/b/c"), { recursive: true });
      writeFileSync(at("tree/b/c/deep"), "");
      writeFileSync(at("tree/a"), "12");
      writeFileSync(at("tree/ab"), "");
      writeFileSync(at("tree/é\n"), "");
      symlinkSync(outside.path, at("tree/link"));
      const list = async (depth: number) => {
        const reply = await session.client.list({ path: at("tree"), depth, maxEntries: 100 });
        return reply.kind === "done" ? reply.value.entries.map((entry) => [entry.name, entry.type]) : reply;
      };
      expect(await list(1)).toEqual([
        ["a", "file"],
        ["ab", "file"],
        ["b", "directory"],
        ["link", "link"],
        ["é\n", "file"],
      ]);
      expect(await list(9)).toEqual([
        ["a", "file"],
        ["ab", "file"],
        ["b", "directory"],
        ["b/c", "directory"],
        ["b/c/deep", "file"],
        ["link", "link"],
        ["é\n", "file"],
      ]);
    });

    it("says when it stopped at the limit, and only then", async () => {
      expect(await session.client.list({ path: at("tree"), depth: 1, maxEntries: 5 })).toMatchObject({ value: { isTruncated: false } });
      const cut = await session.client.list({ path: at("tree"), depth: 9, maxEntries: 3 });
      expect(cut).toMatchObject({ value: { isTruncated: true, entries: [{ name: "a", size: 2 }, { name: "ab" }, { name: "b" }] } });
    });

    it("refuses files, what is missing, and what lies outside", async () => {
      const list = (path: string) => session.client.list({ path, depth: 1, maxEntries: 5 });
      expect(await list(at("target"))).toMatchObject({ code: "not-a-directory" });
      expect(await list(at("nothing"))).toMatchObject({ code: "not-found" });
      expect(await list(at("leaves-by-directory"))).toMatchObject({ code: "outside-roots" });
    });
  });

  describe("write", () => {
    it("creates a file and its parents as the commands' user, and says so", async () => {
      expect(await write(at("new/deep/file"), "text")).toMatchObject({
        kind: "done",
        value: { created: true, sha256: sha256("text"), real: at("new/deep/file") },
      });
      const status = statSync(at("new/deep/file"));
      expect([readFileSync(at("new/deep/file"), "utf8"), status.uid, status.mode & 0o7777]).toEqual(["text", commandUid, 0o644]);
      expect(readdirSync(at("new/deep"))).toEqual(["file"]);
    });

    it("keeps the mode of what it replaces, without setuid bits, and leaves other names of it alone", async () => {
      await make("echo old > script; chmod 4755 script");
      linkSync(at("script"), at("other-name"));
      expect(await write(at("script"), "new")).toMatchObject({ value: { created: false } });
      expect(lstatSync(at("script")).mode & 0o7777).toBe(0o755);
      expect([readFileSync(at("script"), "utf8"), readFileSync(at("other-name"), "utf8")]).toEqual(["new", "old\n"]);
    });

    it("happens only when what it expects is there", async () => {
      await make("printf one > expected");
      const digest = (text: string): Expectation => ({ kind: "digest", sha256: sha256(text) });
      expect(await write(at("expected"), "x", { kind: "absent" })).toMatchObject({ code: "conflict" });
      expect(await write(at("expected"), "x", digest("other"))).toMatchObject({ code: "conflict" });
      expect(await write(at("absent"), "x", digest("one"))).toMatchObject({ code: "conflict" });
      expect(existsSync(at("absent"))).toBe(false);
      expect(await write(at("expected"), "two", digest("one"))).toMatchObject({ kind: "done" });
      expect(await write(at("absent"), "x", { kind: "absent" })).toMatchObject({ value: { created: true } });
      expect(readFileSync(at("expected"), "utf8")).toBe("two");
    });

    it("goes through a link that stays inside, and never through one that leaves", async () => {
      await make("echo old > real-file; ln -s real-file inner; ln -s made-through dangling");
      symlinkSync(`${outside.path}/made`, at("outer"));
      expect(await write(at("inner"), "via")).toMatchObject({ value: { real: at("real-file") } });
      expect([readFileSync(at("real-file"), "utf8"), lstatSync(at("inner")).isSymbolicLink()]).toEqual(["via", true]);
      expect(await write(at("dangling"), "x")).toMatchObject({ value: { real: at("made-through") } });
      for (const path of [at("outer"), at("leaves"), at("leaves-by-directory/new"), `${outside.path}/new`])
        expect(await write(path, "x")).toMatchObject({ code: "outside-roots" });
      expect(readdirSync(outside.path)).toEqual(["secret"]);
      expect(readFileSync(`${outside.path}/secret`, "utf8")).toBe("secret");
    });

    it("refuses directories, devices, FIFOs, roots and files that the user may not write", async () => {
      await make("mkdir own-folder; echo x > read-only; chmod 444 read-only");
      expect(await write(at("own-folder"), "x")).toMatchObject({ code: "is-directory" });
      expect(await write(at("fifo"), "x")).toMatchObject({ code: "not-a-file" });
      expect(await write(session.workspace.path, "x")).toMatchObject({ code: "is-directory" });
      expect(await write(at("read-only"), "y")).toMatchObject({ code: "permission" });
      expect(await write(at("target/below"), "y")).toMatchObject({ kind: "failed", code: "not-a-directory" });
    });

    it("leaves no temporary file when the content does not fit", async () => {
      const small = await openSession(["--root=rw:/tmp", "--fsize=1000"]);
      const path = `${small.workspace.path}/large`;
      expect(await small.client.write({ path, content: Buffer.alloc(5000), expectation: any })).toMatchObject({ code: "too-large" });
      expect(readdirSync(small.workspace.path)).toEqual([]);
      // What stood there stays whole.
      expect(await small.client.write({ path, content: Buffer.from("old"), expectation: any })).toMatchObject({ kind: "done" });
      expect(await small.client.write({ path, content: Buffer.alloc(5000), expectation: any })).toMatchObject({ code: "too-large" });
      expect([readdirSync(small.workspace.path), readFileSync(path, "utf8")]).toEqual([["large"], "old"]);
      await small.close();
    });

    it("is refused below a root that can only be read, even inside one that can be written", async () => {
      const workspace = makeWorkspace();
      mkdirSync(`${workspace.path}/protected`);
      chmodSync(`${workspace.path}/protected`, 0o777);
      const inner = await openSession([`--root=rw:${workspace.path}`, `--root=ro:${workspace.path}/protected`]);
      const put = (name: string) => inner.client.write({ path: `${workspace.path}/${name}`, content: Buffer.from("x"), expectation: any });
      expect(await put("protected/hook")).toMatchObject({ code: "permission" });
      expect(await put("protected-not")).toMatchObject({ kind: "done" });
      await inner.close();
      workspace.remove();
    });

    it("takes 10 MiB, and not a byte more", async () => {
      const content = Buffer.alloc(10 * 1024 * 1024, 7);
      expect(await session.client.write({ path: at("large"), content, expectation: any })).toMatchObject({ value: { sha256: sha256(content) } });
      expect(await session.client.write({ path: at("large"), content: Buffer.alloc(content.byteLength + 1), expectation: any })).toMatchObject({
        code: "bad-request",
      });
      expect(await session.client.read({ path: at("large"), offset: 0, length: content.byteLength })).toMatchObject({ value: { size: content.byteLength } });
    });
  });
});
