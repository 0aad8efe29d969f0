import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ceilingsOf } from "../../../src/config/policy/ceilings.ts";
import { loadForReview, loadPolicy, type LoadPolicyOptions } from "../../../src/config/policy/load.ts";

const MINE = process.getuid?.() ?? 0;

let directory: string;
let ceiling: string;
let options: LoadPolicyOptions;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "warder-ceiling-")));
  for (const name of ["workspace", "home", "state", "etc"]) mkdirSync(join(directory, name), { mode: 0o755 });
  ceiling = join(directory, "etc", "policy.yaml");
  options = {
    workspace: join(directory, "workspace"),
    home: join(directory, "home"),
    stateDirectory: join(directory, "state"),
    directory,
    organisation: { path: ceiling, owners: [MINE] },
  };
});

afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, ...lines: readonly string[]): void {
  writeFileSync(path, `${["version: 1", "name: house", ...lines].join("\n")}\n`, { mode: 0o644 });
}

const autonomy = (): string => loadPolicy("unattended", options).policy.autonomy;

test("without a ceiling the policy holds as it is, and with one each command is held to both", () => {
  expect(autonomy()).toBe("full");
  write(ceiling, "autonomy: supervised");
  expect(autonomy()).toBe("supervised");
  write(join(directory, "state", "policy.yaml"), "autonomy: read-only");
  const { policy, sources } = loadPolicy("unattended", options);
  expect([policy.autonomy, policy.files.slice(-2)]).toEqual(["read-only", [join(directory, "state", "policy.yaml"), ceiling]]);
  expect([...sources.keys()]).toEqual(expect.arrayContaining(["etc/policy.yaml", "state/policy.yaml"]));
  expect(loadForReview("unattended", options).loaded.policy.autonomy).toBe("read-only");
});

test("a ceiling extends what it says, and a broken one stops every load", () => {
  write(ceiling, "extends: base", "tools: { deny: [web_fetch] }");
  expect(loadPolicy("unattended", options).policy.tools.deny).toContain("web_fetch");
  write(ceiling, "autonomy: supervisd");
  expect(autonomy).toThrow("etc/policy.yaml:3");
});

test("a ceiling that others may write is none", () => {
  write(ceiling);
  chmodSync(ceiling, 0o664);
  expect(autonomy).toThrow("may be written by others");
  chmodSync(ceiling, 0o644);
  chmodSync(join(directory, "etc"), 0o777);
  expect(autonomy).toThrow(`${join(directory, "etc")} may be written by others`);
  chmodSync(join(directory, "etc"), 0o755);
  expect(autonomy()).toBe("full");
});

test("somebody else's file is no ceiling", () => {
  write(ceiling);
  const other = MINE === 0 ? 65_534 : MINE;
  if (MINE === 0) chownSync(ceiling, other, other);
  expect(() => ceilingsOf(join(directory, "state"), { path: ceiling, owners: [0] })).toThrow(`belongs to the user ${String(other)}`);
});

test("a link is followed to a place that is as safe, and never to nothing", () => {
  const kept = join(directory, "etc", "kept.yaml");
  symlinkSync(kept, ceiling);
  expect(autonomy).toThrow("binds every run, cannot be read");
  write(kept, "autonomy: supervised");
  expect(autonomy()).toBe("supervised");
  chmodSync(kept, 0o666);
  expect(autonomy).toThrow(`${kept} may be written by others`);
});

test("a directory in its place, a loop and a named file that is none are refused", () => {
  mkdirSync(ceiling);
  expect(autonomy).toThrow("is no regular file");
  rmSync(ceiling, { recursive: true });
  symlinkSync(ceiling, ceiling);
  expect(autonomy).toThrow("cannot be read");
});
