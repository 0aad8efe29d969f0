import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/sandbox/runtime.ts";
import { rankOf } from "../../../src/landing/review/ranks.ts";
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

describe("links change what a name means", () => {
  const link: TwoLayers["link"] = (...of) => {
    layers.link(...of);
  };

  test.each([
    ["gradle", "src/g", "src/g/wrapper/gradle-wrapper.properties", "package-configuration"],
    [".venv", "src/v", "src/v/bin/activate", "package-configuration"],
    ["node_modules", "src/nm", "src/nm/a/index.js", "foreign-code"],
    [".config", "src/cfg", "src/cfg/git/attributes", "git-configuration"],
    [".github", "src/gh", "src/gh/workflows/evil.md", "ci-workflow"],
    [".husky", "./src/../src/h", "src/h/pre-commit.md", "git-hook"],
    [".claude/commands", "../docs/c", "docs/c/a.md", "agent-settings"],
    ["CLAUDE.md", "docs/guide.md", "docs/guide.md", "agent-settings"],
  ])("%s → %s: the link, and %s, when it was there and when the run made it", (name, target, path, kind) => {
    link("upper", name, target);
    put("upper", path, "x");
    const made: Change = { path: name, kind: "added", type: "link", size: 1, mode: 0o777 };
    expect(rankOf({ kind: flags(name, made)[0] ?? "" })).toBeLessThanOrEqual(rankOf({ kind }));
    const found = look(path, { kind: "added" }, [made]).flags;
    expect(found[0]).toEqual({
      kind,
      reason: expect.stringContaining(`A link gives it the name ${path.replace(target.replace("./src/../", "").replace("../", ""), name)}.`),
    });
    rmSync(join(top, "upper", name));
    link("lower", name, target);
    expect(flags(path, { kind: "added" })).toContain(kind);
  });

  test("through links to links, and links on the way; what leads outside gives no name", () => {
    link("lower", ".github", "a");
    link("lower", "a", "b/inner");
    link("lower", "b", "c");
    link("lower", "loop", "loop");
    link("lower", "away", "/etc");
    link("lower", "up", "../..");
    put("upper", "c/inner/workflows/x.md", "x");
    expect(flags("c/inner/workflows/x.md", { kind: "added" })).toEqual(["ci-workflow"]);
    put("upper", "c/other.md", "x");
    expect(flags("c/other.md", { kind: "added" })).toEqual([]);
  });

  test("a link that takes a name away is a deletion like others", () => {
    link("lower", ".github", "src/gh");
    expect(flags(".github", { kind: "deleted", type: "link" })).toEqual(["ci-workflow"]);
  });
});
