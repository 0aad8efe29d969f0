import { afterEach, expect, test, vi } from "vitest";
import { homeDirectory, stateDirectory } from "../../src/config/state-directory.ts";

afterEach(() => vi.unstubAllEnvs());

test("state lies where the environment says, else in the home", () => {
  vi.stubEnv("HOME", "/home/dev");
  expect(stateDirectory({ WARDER_HOME: "/srv/warder/", XDG_STATE_HOME: "/srv/xdg" })).toBe("/srv/warder");
  expect(stateDirectory({ XDG_STATE_HOME: "/srv/xdg" })).toBe("/srv/xdg/warder");
  expect(stateDirectory({})).toBe("/home/dev/.local/state/warder");
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
