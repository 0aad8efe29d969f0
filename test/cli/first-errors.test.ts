import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "../support/test-place.ts";
import { warder, type Place } from "../support/warder-cli.ts";

/** What a new user has: no key, no model, and here no engine either. */
const NOTHING = { DOCKER_HOST: "unix:///nonexistent/docker.sock", ANTHROPIC_API_KEY: "", WARDER_MODEL: "" };

type FirstError = {
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly problem: RegExp;
  readonly remedy: RegExp;
  readonly environment?: Readonly<Record<string, string>>;
  readonly arrange?: (here: Place) => void;
};

const ERRORS: Readonly<Record<string, FirstError>> = {
  "no model": { argv: ["run", "fix it"], exitCode: 2, problem: /A model is needed/, remedy: /Add --model PROVIDER:NAME/ },
  "no key": {
    argv: ["run", "--model", "anthropic:x", "fix it"],
    exitCode: 78,
    problem: /needs a key/,
    remedy: /Set the environment variable ANTHROPIC_API_KEY/,
  },
  "a model without its provider": { argv: ["run", "--model", "gpt", "fix it"], exitCode: 2, problem: /"gpt" names no model/, remedy: /Write PROVIDER:NAME/ },
  "a script that is not there": {
    argv: ["run", "--model", "scripted:none.yaml", "fix it"],
    exitCode: 78,
    problem: /none\.yaml cannot be read/,
    remedy: /scripted-models\.md/,
  },
  "no task": { argv: ["run"], exitCode: 2, problem: /A task is needed/, remedy: /warder run "fix the failing test"/ },
  "a policy that is not shipped": { argv: ["exec", "--policy", "nope", "--", "ls"], exitCode: 78, problem: /no shipped policy "nope"/, remedy: /unattended/ },
  "a policy file that is not there": {
    argv: ["exec", "--policy", "./nope.yaml", "--", "ls"],
    exitCode: 78,
    problem: /no policy file nope\.yaml/,
    remedy: /unattended/,
  },
  "a policy in the workspace": {
    argv: ["exec", "--policy", "own.yaml", "--", "ls"],
    exitCode: 78,
    problem: /lies in the workspace/,
    remedy: /warder policy trust own\.yaml/,
    arrange: ({ workspace }) => writeFileSync(join(workspace, "own.yaml"), "version: 1\nname: own\nextends: unattended\n"),
  },
  "no engine": { argv: ["exec", "--", "ls"], exitCode: 6, problem: /Docker Engine does not answer/, remedy: /systemctl start docker/ },
  "an engine elsewhere that anybody could answer for": {
    argv: ["exec", "--", "ls"],
    exitCode: 78,
    problem: /DOCKER_HOST is tcp:\/\/engine\.example:2375 without TLS/,
    remedy: /DOCKER_TLS_VERIFY=1/,
    environment: { DOCKER_HOST: "tcp://engine.example:2375" },
  },
  "a workspace that is not there": {
    argv: ["exec", "--workspace", "/nonexistent", "--", "ls"],
    exitCode: 2,
    problem: /it does not exist/,
    remedy: /--workspace DIRECTORY/,
  },
  "a file as workspace": { argv: ["exec", "--workspace", "/etc/passwd", "--", "ls"], exitCode: 2, problem: /is no directory/, remedy: /--workspace DIRECTORY/ },
  "the home as workspace": { argv: ["exec", "--workspace", "../home", "--", "ls"], exitCode: 2, problem: /is your home/, remedy: /a project below it/ },
  "a state directory that is none": {
    argv: ["runs"],
    exitCode: 1,
    problem: /state cannot lie in/,
    remedy: /set WARDER_HOME/,
    arrange: ({ state }) => writeFileSync(state, ""),
  },
  "a damaged database": {
    argv: ["runs"],
    exitCode: 1,
    problem: /the file is no database/,
    remedy: /from a copy/,
    arrange: ({ state }) => {
      mkdirSync(state, { mode: 0o700 });
      writeFileSync(join(state, "warder.db"), "garbage");
    },
  },
  "a run that is not there": { argv: ["changes", "diff", "run-x"], exitCode: 2, problem: /no run run-x/, remedy: /warder runs/ },
  "a run to go on with that is not there": { argv: ["run", "--resume", "run-x"], exitCode: 2, problem: /no run run-x/, remedy: /warder runs/ },
  "an approval that is not there": { argv: ["approvals", "grant", "x"], exitCode: 2, problem: /no approval x/, remedy: /warder approvals list/ },
  "a call that is not there": { argv: ["audit", "show", "x"], exitCode: 2, problem: /no call x/, remedy: /warder audit tail/ },
  "an unknown option": { argv: ["runs", "--foo"], exitCode: 2, problem: /unknown option '--foo'/, remedy: /warder runs --help/ },
  "an unknown command": { argv: ["frob"], exitCode: 2, problem: /unknown command 'frob'/, remedy: /warder --help/ },
  "a policy without a terminal to trust it at": {
    argv: ["policy", "trust", "own.yaml"],
    exitCode: 2,
    problem: /A person at a terminal has to confirm this/,
    remedy: /in a terminal/,
    arrange: ({ workspace }) => writeFileSync(join(workspace, "own.yaml"), "version: 1\nname: own\nextends: unattended\n"),
  },
};

describe.concurrent("what a new user meets first is two lines: what is wrong, and what to do", () => {
  test.for(Object.entries(ERRORS))("%s", async ([, { argv, exitCode, problem, remedy, environment, arrange }], { expect, onTestFinished }) => {
    const here = place(onTestFinished);
    arrange?.(here);
    const end = await warder(here, argv, { environment: { ...NOTHING, ...environment } });
    const lines = end.stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^warder: /u);
    expect(lines[0]).toMatch(problem);
    expect(lines[1]).toMatch(/^ {2}|^See: /u);
    expect(lines[1]).toMatch(remedy);
    expect(end.exitCode).toBe(exitCode);
  });
});

test("there are twenty and more of them", () => {
  expect(Object.keys(ERRORS).length).toBeGreaterThanOrEqual(20);
});
