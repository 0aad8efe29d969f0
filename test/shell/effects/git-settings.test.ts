import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type GitSetting, nameOfSetting, steeringSettings } from "../../../src/shell/effects/languages/git-settings.ts";

type Vectors = { readonly source: string; readonly because: string; readonly harmless: readonly string[]; readonly steering: readonly string[] };

const VECTORS = JSON.parse(readFileSync(new URL("../../vectors/git/settings.json", import.meta.url), "utf8")) as Vectors;

/** `remote.origin.url=https://h.test/r` as a line of a configuration: the key is what stands behind the last dot before the first `=`. */
function settingOf(text: string): GitSetting {
  const [, name = "", value = null] = /^([^=]*[^=.])(?:=(.*))?$/s.exec(text) ?? [];
  const parts = name.split(".");
  const [section = "", key = ""] = [parts[0], parts.at(-1)];
  return { section: section.toLowerCase(), subsection: parts.length > 2 ? parts.slice(1, -1).join(".") : null, key: key.toLowerCase(), value };
}

function steers(text: string, isConnecting = false): boolean {
  return steeringSettings([settingOf(text)], isConnecting).length > 0;
}

test("there are enough of both", () => {
  expect(Object.keys(VECTORS).toSorted()).toEqual(["because", "harmless", "source", "steering"]);
  expect(VECTORS.harmless.length).toBeGreaterThan(50);
  expect(VECTORS.steering.length).toBeGreaterThan(80);
});

test.each(VECTORS.harmless)("git runs nothing for `%s`", (text) => {
  expect(steers(text)).toBe(false);
});

test.each(VECTORS.steering)("git may run something, or read another file, for `%s`", (text) => {
  expect(steers(text)).toBe(true);
});

test.each(["../other", "/srv/r.git", "./r", "r", "file:///srv/r"])("where a remote is asked, `%s` is a repository with a configuration of its own", (url) => {
  expect([steers(`remote.origin.url=${url}`), steers(`remote.origin.url=${url}`, true)]).toEqual([false, true]);
});

test("a branch follows a remote that is there, or an address", () => {
  const followed = settingOf("branch.main.remote=origin");
  const remote = settingOf("remote.origin.url=https://h.test/r");
  expect(steeringSettings([followed, remote], true)).toEqual([]);
  expect(steeringSettings([followed], true).map(nameOfSetting)).toEqual(["branch.*.remote"]);
});
