import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, test } from "vitest";

const IMAGE_ID = fileURLToPath(new URL("../../sandbox/build/image-id", import.meta.url));
const IS_REQUIRED = process.env["REQUIRE_DOCKER"] === "1";

/** Why Docker tests cannot run here, or null when they can: the engine answers and the sandbox image is there. */
function missingDocker(): string | null {
  return (missing ??= { reason: findMissing() }).reason;
}

let missing: { readonly reason: string | null } | undefined;

function findMissing(): string | null {
  if (!existsSync(IMAGE_ID)) return "the sandbox image is not built (scripts/setup builds it)";
  try {
    const id = readFileSync(IMAGE_ID, "utf8").trim();
    execFileSync("docker", ["image", "inspect", "--format", "{{.Id}}", id], { timeout: 120_000, stdio: ["ignore", "pipe", "pipe"] });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `no Docker engine with the sandbox image answers (scripts/setup sees to both): ${error.message.split("\n").slice(0, 2).join(" ")}`;
  }
}

/** Whether a single test that needs the engine is skipped. Where REQUIRE_DOCKER=1 demands the engine it runs, and fails. */
export function skipsWithoutDocker(): boolean {
  return !IS_REQUIRED && missingDocker() !== null;
}

/**
 * A group of tests that need a real engine and the sandbox image. Where they are missing the group is skipped by
 * a name that says so; with REQUIRE_DOCKER=1, as in CI, it fails instead.
 */
export function describeWithDocker(name: string, tests: () => void): void {
  const reason = missingDocker();
  if (reason === null) {
    describe(name, tests);
  } else if (IS_REQUIRED) {
    describe(name, () => {
      test("has the Docker engine that REQUIRE_DOCKER demands", () => {
        throw new Error(reason);
      });
    });
  } else {
    describe.skip(`${name} [skipped: ${reason}]`, tests);
  }
}
