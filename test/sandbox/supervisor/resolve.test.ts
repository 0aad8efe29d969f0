import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Measured } from "../../../src/sandbox/supervisor/files.ts";
import { openSession, type TestSession } from "./process.ts";
import { runsRootTests } from "../../support/root.ts";

let session: TestSession;
let at: (name: string) => string;
beforeAll(async () => {
  session = await openSession();
  at = (name) => `${session.workspace.path}/${name}`;
});
afterAll(() => session.close());

/** What the C library and the kernel make of a path; null when it leads nowhere. */
function kernelRealPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

async function resolve(...paths: string[]): Promise<readonly Measured[]> {
  const reply = await session.client.resolve(paths);
  if (reply.kind === "failed") throw new Error(`${reply.code}: ${reply.reason}`);
  return reply.value;
}

describe("resolve", () => {
  it("tells type, mode, links and size, and answers in the order asked", async () => {
    writeFileSync(at("file"), "12345", { mode: 0o640 });
    linkSync(at("file"), at("second-name"));
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("fifo")]);
    const [file, second, folder, fifo, missing] = await resolve(at("file"), at("second-name"), at("folder"), at("fifo"), at("nothing"));
    expect(file).toMatchObject({ type: "file", mode: 0o640, links: 2, size: 5, real: at("file") });
    expect(second?.inode).toBe(file?.inode);
    expect([folder?.type, fifo?.type, missing?.type]).toEqual(["directory", "other", "missing"]);
    expect(missing).toMatchObject({ real: at("nothing"), links: 0 });
  });

  it("follows links as the kernel does: relative, absolute, chained, through directories, dangling", async () => {
    mkdirSync(at("d1/d2"), { recursive: true });
    writeFileSync(at("d1/d2/leaf"), "");
    symlinkSync("d1/d2", at("to-d2"));
    symlinkSync("../..", at("d1/d2/up"));
    symlinkSync("/etc/passwd", at("escape"));
    symlinkSync("to-d2", at("chain"));
    symlinkSync("d1/new/file", at("dangling"));
    symlinkSync(".", at("dot"));
    const real = (await resolve(at("to-d2/leaf"), at("chain/up/d1/d2/leaf"), at("escape"), at("dangling"), at("dot/dot/d1"), at("to-d2/../d2/leaf"))).map(
      (item) => item.real,
    );
    expect(real).toEqual([at("d1/d2/leaf"), at("d1/d2/leaf"), realpathSync("/etc/passwd"), at("d1/new/file"), at("d1"), at("d1/d2/leaf")]);
  });

  it("measures outside every root too, but only metadata", async () => {
    expect(await resolve("/etc/passwd", "/")).toMatchObject([{ type: "file" }, { type: "directory", real: "/" }]);
    expect(await session.client.hash(["/etc/passwd"])).toMatchObject({ value: [null] });
  });

  it("gives the real path of the nearest ancestor and the rest for what is missing", async () => {
    symlinkSync("d1", at("to-d1"));
    expect((await resolve(at("to-d1/x/y/../z"), at("file/below"))).map((item) => [item.type, item.real])).toEqual([
      ["missing", at("d1/x/z")],
      ["missing", at("file/below")],
    ]);
  });

  it("says that it could not measure a loop, a magic link and what the user may not see", async () => {
    symlinkSync("loop-b", at("loop-a"));
    symlinkSync("loop-a", at("loop-b"));
    mkdirSync(at("closed"), { mode: 0 });
    const [loop, magic, stdin, closed] = await resolve(at("loop-a"), "/proc/self/fd/0", "/dev/stdin", at("closed/inner"));
    chmodSync(at("closed"), 0o700);
    for (const item of [loop, magic, stdin]) expect(item?.failure).toBe("unresolvable");
    // Root's files belong to somebody else here; as another user the test's own directory is the user's.
    expect(closed).toMatchObject({ failure: "permission", real: at("closed/inner"), type: "missing" });
  });

  it("agrees with realpath about random trees of links", async () => {
    const name = fc.constantFrom("a", "b", "c", "..", ".");
    const target = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), target, fc.constantFrom("link", "directory", "file")), { maxLength: 6 }),
        target,
        async (entries, asked) => {
          const top = at(`tree-${Math.random().toString(36).slice(2)}`);
          mkdirSync(top);
          for (const [entry, text, kind] of entries) {
            const path = `${top}/${entry}`;
            rmSync(path, { recursive: true, force: true });
            if (kind === "link") symlinkSync(text, path);
            else if (kind === "file") writeFileSync(path, "");
            else mkdirSync(path);
          }
          const path = `${top}/${asked}`;
          const [measured] = await resolve(path);
          const truth = kernelRealPath(path);
          const seen = measured?.type === "missing" ? null : (measured?.failure ?? measured?.real);
          expect(seen).toBe(truth);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("refuses a path that is relative, has a NUL or is too long, and takes 4,096 at once", async () => {
    for (const path of ["relative", "/a\0b", `/${"x".repeat(4096)}`])
      expect(await session.client.resolve([path])).toMatchObject({ kind: "failed", code: "bad-request" });
    expect(await session.client.resolve(Array<string>(4096).fill("/etc/passwd"))).toMatchObject({ kind: "done" });
    expect(await session.client.resolve(Array<string>(4097).fill("/"))).toMatchObject({ kind: "failed", code: "bad-request" });
  });

  it.runIf(runsRootTests)("sees with the rights of a command, not with its own", async () => {
    mkdirSync(at("roots-own"), { mode: 0o700 });
    expect(await resolve(at("roots-own/x"))).toMatchObject([{ failure: "permission" }]);
  });
});
