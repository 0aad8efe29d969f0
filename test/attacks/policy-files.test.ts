import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "../support/test-place.ts";
import { warder, writePolicy } from "../support/warder-cli.ts";

/** Each is refused with exit code 78 before anything else happens. */
const HOSTILE: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["all on one line of many thousand characters", `{"version": 1, "name": "x", "a": [${'"b", '.repeat(30_000)}-1]}`, /-1 is below zero/],
  ["longer than any policy", `version: 1\nname: x\n# ${"a".repeat(8 * 1024 * 1024 - 20)}`, /longer than 8 MiB/],
  ["nested deeper than any policy", `version: 1\nname: x\na: ${"[".repeat(1_000_000)}`, /nested too deep/],
  ["of more parts than any policy", `version: 1\nname: x\na:\n${"- a\n".repeat(400_000)}`, /more than 1,000,000 words/],
  [
    "aliases that multiply",
    `version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi".replaceAll(/./gu, (name) => `${name}: &${name} [${`*${String.fromCharCode((name.codePointAt(0) ?? 0) - 1)},`.repeat(9)}]\n`)}name: x`,
    /aliases/,
  ],
  ["its own parent", "version: 1\nname: hostile\nextends: ./hostile.yaml", /which extends it/],
  ["a key twice", "version: 1\nname: x\nname: y", /not valid YAML/],
  ["a prototype's key", "version: 1\nname: x\n__proto__: { autonomy: full }", /__proto__/],
  ["an escape sequence", "version: 1\nname: x\nextends: supervised # \u001B[2J", /invisible or control/],
  ["a variable that steers programs", "version: 1\nname: x\nextends: supervised\nsandbox:\n  env: [LD_PRELOAD]", /LD_PRELOAD/],
  ["a root of everything", "version: 1\nname: x\nextends: base\nautonomy: full\nworkspace:\n  roots:\n    - { path: /, access: read }", /cannot be a root/],
];

describe("a hostile policy file", () => {
  test.each(HOSTILE)("%s", async (_name, text, message) => {
    const here = place();
    const end = await warder(here, ["check", "ls", "--policy", writePolicy(here, "hostile", text)]);
    expect(end.stderr).toMatch(message);
    expect(end).toMatchObject({ exitCode: 78, stdout: "" });
    expect(end.stderr.length).toBeLessThan(2_000);
    // eslint-disable-next-line no-control-regex
    expect(end.stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/u);
  });

  test("in the workspace, untrusted, also through a link from outside", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "policy.yaml"), "version: 1\nname: x\nextends: supervised\n");
    symlinkSync(join(here.workspace, "policy.yaml"), join(here.root, "outside.yaml"));
    for (const path of [join(here.workspace, "policy.yaml"), "policy.yaml", join(here.root, "outside.yaml")]) {
      const end = await warder(here, ["check", "ls", "--policy", path]);
      expect(end).toMatchObject({ exitCode: 78, stdout: "" });
      expect(end.stderr).toMatch(/trust/);
    }
  });
});
