import { readFileSync } from "node:fs";
import { posix } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { compiled } from "../../../src/policy/deciding/compiled-policy.ts";
import { judgePath } from "../../../src/policy/deciding/path-access.ts";
import { isOrdinaryPath, isWithin, normalisePath, pathFault } from "../../../src/policy/matching/paths.ts";
import { factsFor, policyOf, policyText } from "../bench.ts";

const vectors = z
  .array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      real: z.string().optional(),
      type: z.enum(["file", "directory"]).default("file"),
      use: z.enum(["read", "write"]).default("read"),
      runtime: z.enum(["docker", "bubblewrap"]).default("docker"),
      containment: z.enum(["profile", "none"]).default("profile"),
      place: z.enum(["root", "scratch", "home", "device", "image", "system", "ancestor", "outside"]),
      access: z.enum(["read", "read-write"]).nullable(),
    }),
  )
  .min(30)
  .parse(JSON.parse(readFileSync(new URL("../../vectors/paths/places.json", import.meta.url), "utf8")));

test.each(vectors)("$name: $path is $place", ({ path, real, type, use, runtime, containment, place, access }) => {
  const policy = compiled(
    policyOf(policyText(`sandbox: { runtime: ${runtime} }`, "workspace: { roots: [{ path: '.', access: read-write }, { path: vendor, access: read }] }")),
  );
  const facts = factsFor([{ kind: "read", path, isRecursive: false }], { containment, paths: { [path]: { real: real ?? normalisePath(path), type } } });
  expect(judgePath(policy, { asked: path, written: normalisePath(path) }, use, facts)).toMatchObject({ place, access, isMeasured: true });
});

test("in a check on the host, what lies outside the roots is the sandbox's and not the host's", () => {
  const policy = compiled(policyOf(policyText("autonomy: full")));
  const facts = factsFor([{ kind: "read", path: "/opt/a", isRecursive: false }], { measured: "host", paths: { "/opt/a": { real: "/home/dev/project/a" } } });
  expect(judgePath(policy, { asked: "/opt/a", written: "/opt/a" }, "read", facts)).toMatchObject({ place: "image", isMeasured: true });
});

test.each([
  ["a/b", "it is not absolute"],
  ["/a\u0000", "it holds control, invisible or broken characters"],
  ["/a\u202eb", "it holds control, invisible or broken characters"],
  ["/a\ud800", "it holds control, invisible or broken characters"],
  [`/${"a".repeat(256)}`, "one of its names is longer than the system takes"],
  [`/${"ä".repeat(128)}`, "one of its names is longer than the system takes"],
  [`/${"a/".repeat(2048)}`, "it is longer than the system takes"],
  [`/${"ä".repeat(127)}`, null],
  ["/a b\nc", null],
])("%j: %j", (path, fault) => {
  expect(pathFault(path)).toBe(fault);
});

test("a normalised path has no dots, no doubled slashes and stays what it was", () => {
  const parts = fc.array(fc.constantFrom("a", "..", ".", "", "...", ".a"), { maxLength: 8 });
  fc.assert(
    fc.property(parts, (names) => {
      const path = `/${names.join("/")}`;
      const normal = normalisePath(path);
      expect(normal).toBe(posix.resolve(path));
      expect(normalisePath(normal)).toBe(normal);
      expect(isWithin(normal, "/")).toBe(true);
    }),
  );
});

test("what is told to be ordinary by one look has no fault and is normalised", () => {
  const parts = fc.array(fc.constantFrom("a", "..", ".", "", "...", ".a", " ", "\t", "\u0000", "\u200b", "é", "~", "b".repeat(130)), { maxLength: 5 });
  let ordinary = 0;
  fc.assert(
    fc.property(parts, fc.constantFrom("", "/", "a", "/a/"), (names, before) => {
      const path = `${before}${names.join("/")}`;
      if (!isOrdinaryPath(path)) return;
      ordinary += 1;
      expect([pathFault(path), normalisePath(path)]).toEqual([null, path]);
    }),
    { numRuns: 1000 },
  );
  expect(ordinary).toBeGreaterThan(20);
  expect(["/", "/a/", "/a//b", "/a/.", "/a/../b", "a"].some(isOrdinaryPath)).toBe(false);
});
