import { closeSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffChanges } from "../../../../src/sandbox/workspace/review/diff.ts";
import type { FlaggedChange } from "../../../../src/sandbox/workspace/review/flags.ts";
import { openTree } from "../../../../src/sandbox/workspace/files/tree.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

test("files for which a diff has no time left are named, and those before them shown", () => {
  const top = temporaryDirectory();
  for (const layer of ["upper", "lower"]) mkdirSync(join(top, layer));
  const change = (path: string): FlaggedChange => ({ path, kind: "added", type: "file", size: 2, mode: 0o644, flags: [] });
  for (const name of ["a", "b"]) writeFileSync(join(top, "upper", name), `${name}\n`);
  const layers = { upper: openTree(join(top, "upper")), lower: openTree(join(top, "lower")) };
  try {
    const changes = [change("a"), change("b")];
    expect(diffChanges(changes, layers, 10_000)).toContain("+b");
    const cut = diffChanges(changes, layers, 10_000, 0).split("\n");
    expect(cut).toEqual([expect.stringMatching(/^a: added, not compared/u), expect.stringMatching(/^b: added, not compared/u), ""]);
  } finally {
    closeSync(layers.upper);
    closeSync(layers.lower);
  }
});
