import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { ORDINARY_USER, passedAsOrdinaryUser, WITHIN } from "../../support/ordinary-user.ts";
import { runsRootTests } from "../../support/root.ts";

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

group(isReady ? "an ordinary user without an engine" : `an ordinary user without an engine [skipped: ${detail}]`, () => {
  test.skipIf(!runsRootTests)("has sandboxes and transactional workspaces that keep what root's keep [needs root, to become one]", WITHIN, () => {
    // Not one of these was left out.
    expect(passedAsOrdinaryUser(["test/sandbox/bubblewrap/runtime.test.ts"], { groups: [] })).toBeGreaterThan(84);
  });

  test.skipIf(!runsRootTests).each(["bind", "transactional"])(
    "sees nothing of what is mounted in a root of a %s workspace later [needs root, to mount it]",
    (workspace) => {
      const folder = mkdtempSync(join(tmpdir(), "warder-test-"));
      chownSync(folder, ORDINARY_USER, ORDINARY_USER);
      const program = fileURLToPath(new URL("../../support/programs/list-when-told.ts", import.meta.url));
      const identity = ["setpriv", `--reuid=${String(ORDINARY_USER)}`, `--regid=${String(ORDINARY_USER)}`, "--clear-groups", "--inh-caps=-all"];
      // As systemd makes it: what is mounted in one namespace is mounted in all that follow it.
      const script = `mount --make-rshared /; cd "$1"; shift; "$@" >said & while ! grep -q ready said && kill -0 $!; do sleep 0.05; done; mount -t tmpfs none reference/sub; touch reference/sub/later go; wait; cat said`;
      try {
        const argv = ["--mount", "--propagation", "private", "sh", "-c", script, "sh", folder, ...identity, process.execPath, program, workspace];
        expect(execFileSync("unshare", argv, { encoding: "utf8" })).toBe("ready\nearlier\n");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
