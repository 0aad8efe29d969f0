import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { homeDirectory, namedStateDirectory, stateDirectory } from "../../../src/config/state/directory.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

afterEach(() => vi.unstubAllEnvs());

test("state lies where the environment says, else in the home", () => {
  vi.stubEnv("HOME", "/home/dev");
  expect(stateDirectory({ WARDER_HOME: "/srv/warder/", XDG_STATE_HOME: "/srv/xdg" })).toBe("/srv/warder");
  expect(stateDirectory({ XDG_STATE_HOME: "/srv/xdg" })).toBe("/srv/xdg/warder");
  expect(stateDirectory({})).toBe("/home/dev/.local/state/warder");
});

test("links above the state directory are resolved, as far as it is there", () => {
  const directory = realpathSync(temporaryDirectory());
  mkdirSync(join(directory, "disk"));
  symlinkSync(join(directory, "disk"), join(directory, "home"));
  symlinkSync(join(directory, "disk"), join(directory, "disk", "link"));
  const of = (path: string): string => stateDirectory({ WARDER_HOME: join(directory, path) });
  expect(of("home/.local/state/warder")).toBe(join(directory, "disk/.local/state/warder"));
  expect(of("home")).toBe(join(directory, "home"));
  expect(of("home/link")).toBe(join(directory, "disk/link"));
  expect(namedStateDirectory({ WARDER_HOME: join(directory, "home/state") })).toBe(join(directory, "home/state"));
});

test.each(["", "home", "."])("a home of %j is refused, or state would lie in whatever directory this is", (home) => {
  vi.stubEnv("HOME", home);
  expect(() => homeDirectory()).toThrow("HOME must be an absolute path");
  expect(() => stateDirectory({})).toThrow("HOME must be an absolute path");
});

test.each(["state", "./state"])("a relative state directory is refused: %s", (state) => {
  expect(() => stateDirectory({ WARDER_HOME: state })).toThrow("WARDER_HOME must be an absolute path");
  expect(() => stateDirectory({ XDG_STATE_HOME: state })).toThrow("XDG_STATE_HOME must be an absolute path");
});
