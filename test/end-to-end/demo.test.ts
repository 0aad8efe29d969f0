import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";

describeWithDocker("the demo", () => {
  test("ends with the repaired test passing in the sandbox and all five attacks refused", () => {
    const root = join(import.meta.dirname, "..", "..");
    const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts", "demo.ts")], { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
    expect(stdout).not.toContain("✗ ");
    expect(stdout.match(/✓ refused: .* — [a-z-]+/gu)).toHaveLength(5);
    expect(status).toBe(0);
  });
});
