import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { engineGroups, ORDINARY_USER, runAsOrdinaryUser, WITHIN } from "../support/ordinary-user.ts";
import { runsRootTests } from "../support/root.ts";
import { removeFolder } from "../support/run-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");

function expectPlayed(stdout: string): void {
  expect(stdout).not.toContain("✗ ");
  expect(stdout.match(/✓ refused: .* — [a-z-]+/gu)).toHaveLength(5);
  expect(stdout.match(/^ {2}✓ /gmu)).toHaveLength(11);
}

/** A checkout that setup has been through, with all in it the ordinary user's own. */
function copyCheckout(place: string): string {
  const root = join(place, "checkout");
  mkdirSync(join(root, ".tools"), { recursive: true });
  const parts = ["bin", "examples", "policies", "sandbox", "schemas", "scripts", "src", "package.json", "package-lock.json"];
  const tools = readdirSync(join(ROOT, ".tools")).filter((name) => name === "bin" || name.endsWith(".stamp"));
  for (const part of [...parts, ...tools.map((name) => `.tools/${name}`)])
    cpSync(join(ROOT, part), join(root, part), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  execFileSync("chown", ["--recursive", "--no-dereference", `${String(ORDINARY_USER)}:${String(ORDINARY_USER)}`, place]);
  return root;
}

describeWithDocker("the demo", () => {
  test("ends with the repaired test passing in the sandbox and all five attacks refused", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "scripts", "demo.ts")], { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
    expectPlayed(stdout);
    expect(status).toBe(0);
  });

  test.skipIf(!runsRootTests)("ends so for an ordinary user with an empty home, from setup on [needs root, to become one]", WITHIN, () => {
    const place = mkdtempSync(join(tmpdir(), "warder-test-"));
    try {
      const home = join(place, "home");
      mkdirSync(home);
      const root = copyCheckout(place);
      const { status, stdout } = runAsOrdinaryUser(["sh", join(root, "scripts/demo")], {
        groups: engineGroups(),
        cwd: root,
        env: { ...process.env, HOME: home, NO_COLOR: "1" },
      });
      expectPlayed(stdout);
      expect(status).toBe(0);
    } finally {
      removeFolder(place);
    }
  });
});
