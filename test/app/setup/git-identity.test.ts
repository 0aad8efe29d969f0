import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { personsGit } from "../../../src/app/setup/git-identity.ts";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "warder-git-"));
});

afterEach(() => {
  rmSync(place, { recursive: true });
});

function gitIs(script: string): void {
  writeFileSync(join(place, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", place);
}

test("a git that does not answer in its time is told, and nobody is named", () => {
  gitIs("while :; do :; done");
  expect(personsGit(place, 300)).toEqual({ identity: null, isSigning: false, fault: "git did not answer for 0.3 s" });
});

test("a git that fails is told in its first words", () => {
  gitIs("echo 'fatal: bad config' >&2; echo more >&2; exit 128");
  expect(personsGit(place)).toEqual({ identity: null, isSigning: false, fault: "fatal: bad config" });
});

test("no git and no name are no faults", () => {
  vi.stubEnv("PATH", place);
  expect(personsGit(place)).toEqual({ identity: null, isSigning: false, fault: null });
  gitIs("exit 1");
  expect(personsGit(place)).toEqual({ identity: null, isSigning: false, fault: null });
});
