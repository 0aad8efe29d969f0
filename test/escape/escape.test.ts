import { beforeAll, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { IS_ELSEWHERE } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { type Attack, exemptionOf, loadAttacks } from "./attack.ts";
import type { ArenaOptions } from "./engine.ts";
import { runAttacks, type SuiteResult } from "./run.ts";

const attacks = loadAttacks();

/** Performs them once and asserts on each by its name. */
function suite(chosen: readonly Attack[], options: ArenaOptions): void {
  let result: SuiteResult;
  beforeAll(async () => {
    result = await runAttacks(chosen, options);
  }, 1_200_000);

  test.each(chosen.map((attack) => [attack.id, attack] as const))("%s", (id, attack) => {
    const verdict = result.verdicts.find((candidate) => candidate.id === id);
    expect(verdict, `${attack.tries}: ${attack.must}`).toMatchObject({ result: exemptionOf(attack, options.runtime) === undefined ? "held" : "exempt" });
  });

  test("leave nothing behind", () => {
    expect(result.left).toEqual([]);
  });
}

describe("the attacks", () => {
  test("are many, of every kind, and few are exempt anywhere", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(120);
    expect(new Set(attacks.map(({ area }) => area)).size).toBeGreaterThanOrEqual(10);
    expect(attacks.filter(({ exempt }) => exempt.docker !== undefined)).toEqual([]);
    expect(attacks.filter(({ exempt }) => exempt.bubblewrap !== undefined).length).toBeLessThan(12);
    expect(attacks.filter(({ exempt, contained }) => exempt["docker-without-root"] !== undefined || contained !== undefined).length).toBeLessThan(7);
  });
});

describeWithDocker("attacks on the Docker runtime are held", () => {
  // scripts/test-elsewhere.ts starts the engine for the second.
  suite(attacks, IS_ELSEWHERE ? { runtime: "docker-elsewhere", dockerHost: process.env["DOCKER_HOST"] } : { runtime: "docker" });
});

const { isReady, detail } = await bubblewrapRuntime().check();
const group = !IS_ELSEWHERE && (isReady || process.env["REQUIRE_DOCKER"] === "1") ? describe : describe.skip;

// A third of them here, to keep a test run short; `npm run test:escape -- --runtime bubblewrap` performs all.
group(isReady ? "attacks on the bubblewrap runtime are held" : `attacks on the bubblewrap runtime [skipped: ${detail}]`, () => {
  suite(
    attacks.filter((_attack, index) => index % 3 === 0),
    { runtime: "bubblewrap" },
  );
});
