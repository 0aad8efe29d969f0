import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { place } from "../../support/test-place.ts";
import { warder } from "../../support/warder-cli.ts";

/** A socket where nothing answers: what is looked at here needs no engine. */
const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };

describe("warder doctor says what is missing, whatever it is", () => {
  test("a state directory that cannot be used is one finding among others", async () => {
    const here = place();
    writeFileSync(here.state, "");
    const end = await warder(here, ["doctor", "--json"], { environment: NO_ENGINE });
    expect(end.exitCode).toBe(6);
    const { isReady, findings, sandbox } = JSON.parse(end.stdout) as {
      isReady: boolean;
      findings: { what: string; state: string; detail: string }[];
      sandbox: { failure: string };
    };
    expect(isReady).toBe(false);
    expect(findings.find(({ what }) => what === "Node.js")?.state).toBe("ok");
    expect(findings.find(({ what }) => what === "state")).toMatchObject({ state: "missing", remedy: expect.stringContaining("set WARDER_HOME") });
    expect(sandbox.failure).toContain(here.state);
  });

  test("a database that is none is, too", async () => {
    const here = place();
    mkdirSync(here.state, { mode: 0o700 });
    writeFileSync(`${here.state}/warder.db`, "garbage");
    const end = await warder(here, ["doctor"], { environment: NO_ENGINE });
    expect(end.exitCode).toBe(6);
    expect(end.stdout).toMatch(/✗ state [\s\S]*the file is\s+no\s+database/u);
  });

  test("an empty address of the engine is none", async () => {
    const end = await warder(place(), ["doctor"], { environment: { DOCKER_HOST: "" } });
    expect(end.stdout).not.toContain("DOCKER_HOST must be");
  });

  test("an engine that does not answer is named by its address", async () => {
    const end = await warder(place(), ["doctor"], { environment: NO_ENGINE });
    expect(end.stdout).toMatch(/✗ docker sandbox +Docker Engine does not answer at\s+\/nonexistent\/docker\.sock\./u);
    expect(end.stdout).toContain("\nNext:\n  Start it");
  });

  test("so is an address of the engine that is none", async () => {
    const end = await warder(place(), ["doctor"], { environment: { DOCKER_HOST: "tcp://engine.example:2375" } });
    expect(end.exitCode).toBe(6);
    expect(end.stdout).toMatch(/✗ docker sandbox +DOCKER_HOST is\s+tcp:\/\/engine\.example:2375 without TLS/u);
  });
});
