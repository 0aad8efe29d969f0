import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/base/digest.ts";
import { hostFacts } from "../../../src/gate/facts/host-facts.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

function tree() {
  const base = realpathSync(temporaryDirectory());
  const root = join(base, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "secret"), "s");
  writeFileSync(join(root, "file"), "text");
  linkSync(join(root, "file"), join(root, "second-name"));
  symlinkSync("sub", join(root, "inner"));
  symlinkSync("../file", join(root, "sub", "up"));
  symlinkSync(join(base, "outside"), join(root, "out"));
  symlinkSync("loop-b", join(root, "loop-a"));
  symlinkSync("loop-a", join(root, "loop-b"));
  return { base, root, facts: hostFacts([root]) };
}

describe("facts of the host", () => {
  test.each([
    ["a file", "file", { real: "file", type: "file", links: 2 }],
    ["a directory", "sub", { real: "sub", type: "directory" }],
    ["the root", "", { real: "", type: "directory" }],
    ["what is not there", "sub/new/er", { real: "sub/new/er", type: "missing", links: 0 }],
    ["below a file", "file/x", { real: "file/x", type: "missing" }],
    ["a link in the root", "inner", { real: "sub", type: "directory" }],
    ["through links in the root", "inner/up", { real: "file", type: "file" }],
    ["what is not there, through a link", "inner/new", { real: "sub/new", type: "missing" }],
  ])("%s", async (_name, path, expected) => {
    const { root, facts } = tree();
    const at = (name: string): string => (name === "" ? root : join(root, name));
    expect(await facts.resolve([at(path)])).toMatchObject([{ path: at(path), ...expected, real: at(expected.real) }]);
  });

  test("a link that leads out is followed no further, and shows where it leads", async () => {
    const { base, root, facts } = tree();
    expect(await facts.resolve([join(root, "out/secret"), join(root, "out/missing/x")])).toEqual([
      { path: join(root, "out/secret"), real: join(base, "outside/secret"), type: "other", links: 0 },
      { path: join(root, "out/missing/x"), real: join(base, "outside/missing/x"), type: "other", links: 0 },
    ]);
    expect(await facts.hash([join(root, "out/secret")])).toEqual([null]);
    expect(await facts.texts([join(root, "out/secret"), join(base, "outside/secret")])).toEqual(
      new Map([
        [join(root, "out/secret"), null],
        [join(base, "outside/secret"), null],
      ]),
    );
  });

  test("links that lead in a circle cannot be measured", async () => {
    const { root, facts } = tree();
    expect(await facts.resolve([join(root, "loop-a")])).toMatchObject([{ error: "too many links" }]);
  });

  test("contents are hashed and read below a root only", async () => {
    const { root, facts } = tree();
    expect(await facts.hash([join(root, "inner/up"), join(root, "sub"), join(root, "none")])).toEqual([sha256("text"), null, null]);
    expect(await facts.texts([join(root, "file")])).toEqual(new Map([[join(root, "file"), "text"]]));
  });

  test("names are read below a root only, and behind no link", async () => {
    const { base, root, facts } = tree();
    expect((await facts.names(root))?.toSorted()).toEqual(["file", "inner", "loop-a", "loop-b", "out", "second-name", "sub", "sub/up"]);
    expect((await facts.names(root, 1))?.toSorted()).toEqual(["file", "inner", "loop-a", "loop-b", "out", "second-name", "sub"]);
    for (const path of [join(base, "outside"), join(root, "none"), join(root, "file")]) expect(await facts.names(path)).toBeNull();
  });

  test("a root behind a link on the host is the root, as the sandbox mounts it", async () => {
    const { base, root } = tree();
    const alias = join(base, "alias");
    symlinkSync(root, alias);
    const facts = hostFacts([alias]);
    expect(await facts.resolve([join(alias, "sub")])).toMatchObject([{ real: join(alias, "sub"), type: "directory" }]);
  });
});
