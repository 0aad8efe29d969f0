import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rounds } from "../../support/extent.ts";
import { sandboxDirectory } from "./process.ts";

it("reads no mutated frame past its end (address and undefined-behaviour sanitizers)", ({ skip }) => {
  const canSanitize =
    spawnSync("cc", ["-fsanitize=address,undefined", "-x", "c", "-o", "/dev/null", "-"], { input: "int main(void) { return 0; }" }).status === 0;
  if (!canSanitize) skip("no compiler with sanitizers");
  // The same inputs each time; `npm run fuzz -- frames` looks for new ones.
  const seed = process.env["FUZZ_SEED"] ?? "20261121";
  const run = spawnSync("sh", [join(sandboxDirectory, "supervisor/fuzz/fuzz.sh"), String(rounds(1, 3)), seed], { encoding: "utf8" });
  expect({ seed, status: run.status, errors: run.stderr }).toEqual({ seed, status: 0, errors: "" });
  expect(run.stdout).toMatch(/^[1-9]\d* inputs, nothing found\n$/u);
});
