import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { place, script } from "../support/test-place.ts";
import { warder, writePolicy } from "../support/warder-cli.ts";

type Event = { kind: string; end?: { kind: string; text: string }; ruling?: { decision: { verdict: string; rules: { id: string }[] } } };

function eventsOf(stdout: string): Event[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

const TWO_WRITES = `protocol: openai
turns:
  - calls: [{ tool: write_file, input: { path: "a.txt", content: "one" } }]
  - calls: [{ tool: write_file, input: { path: "b.txt", content: "two" } }]
  - say: "Over."
`;

// Writes in a transactional workspace change nothing until a person lands them, so they are no actions; running code is one.
const TWO_ACTIONS = `protocol: openai
turns:
  - calls: [{ tool: shell, input: { command: "node -e 1" } }]
  - calls: [{ tool: shell, input: { command: "node -e 2" } }]
  - say: "Over."
`;

describeWithDocker("warder run", () => {
  test("streams its events as JSON lines, over the OpenAI protocol too", async () => {
    const here = place();
    const model = script(
      here,
      'protocol: openai\nturns:\n  - say: "Looking."\n    calls: [{ tool: shell, input: { command: "echo from-inside" } }]\n  - when: { result-contains: "from-inside" }\n    say: "Seen."\n',
    );
    const end = await warder(here, ["run", "--unattended", "--json", "--model", model, "Look."]);
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
    const events = eventsOf(end.stdout);
    expect(events.map((event) => event.kind)).toEqual(
      expect.arrayContaining(["run-start", "ruling", "tool-start", "tool-output", "tool-end", "tool-result", "run-end"]),
    );
    expect(events.at(-1)?.end).toMatchObject({ kind: "done", text: "Seen." });
  });

  test("fails when the script expected another result", async () => {
    const here = place();
    const model = script(
      here,
      'protocol: anthropic\nturns:\n  - calls: [{ tool: shell, input: { command: "echo one" } }]\n  - when: { result-contains: "two" }\n    say: "Seen."\n',
    );
    const end = await warder(here, ["run", "--unattended", "--model", model, "Look."]);
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toContain('expected a result that contains "two"');
  });

  test("a transactional policy that may only read has no changes, and runs", async () => {
    const here = place();
    const policy = writePolicy(here, "reader", "version: 1\nname: reader\nextends: unattended\nworkspace:\n  roots: [{ path: '.', access: read }]\n");
    const model = script(here, 'protocol: anthropic\nturns:\n  - calls: [{ tool: shell, input: { command: "node -e 1; ls" } }]\n  - say: "Read."\n');
    expect((await warder(here, ["run", "--unattended", "--policy", policy, "--model", model, "Read."])).exitCode).toBe(0);
    expect((await warder(here, ["exec", "--policy", policy, "--", "node -e 1"])).exitCode).toBe(0);
  });

  test("a spent budget of actions ends the run, and a restart gives no new one", async () => {
    const here = place();
    const policy = writePolicy(here, "one-action", "version: 1\nname: one-action\nextends: unattended\nlimits:\n  actions: { max: 1, per: 1h }\n");
    const first = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, TWO_ACTIONS), "Run."]);
    expect(first.exitCode).toBe(5);
    expect(eventsOf(first.stdout).filter((event) => event.ruling?.decision.verdict === "allow")).toHaveLength(1);
    const second = await warder(here, ["run", "--unattended", "--json", "--policy", policy, "--model", script(here, TWO_ACTIONS), "Run."]);
    expect(second.exitCode).toBe(5);
    expect(eventsOf(second.stdout).filter((event) => event.ruling?.decision.verdict === "allow")).toHaveLength(0);
  });

  test("changes wait until a person lands them, and can be thrown away", async () => {
    const here = place();
    const model = script(here, TWO_WRITES);
    expect((await warder(here, ["run", "--unattended", "--model", model, "Write."])).exitCode).toBe(0);
    expect(existsSync(join(here.workspace, "a.txt"))).toBe(false);
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { id: string; ending: string }[] };
    const run = runs[0]?.id ?? "";
    expect(runs[0]?.ending).toBe("done");
    expect((await warder(here, ["changes", "list", run])).stdout).toMatch(/added\s+a\.txt.*\nadded\s+b\.txt/u);
    expect((await warder(here, ["changes", "apply", run])).exitCode).toBe(0);
    expect(readFileSync(join(here.workspace, "b.txt"), "utf8")).toBe("two");
    expect(
      (await warder(here, ["run", "--unattended", "--model", script(here, TWO_WRITES.replaceAll("a.txt", "c.txt").replaceAll("b.txt", "d.txt")), "Write."]))
        .exitCode,
    ).toBe(0);
    const again = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { id: string }[] };
    expect((await warder(here, ["changes", "discard", again.runs[0]?.id ?? ""])).exitCode).toBe(0);
    expect(existsSync(join(here.workspace, "c.txt"))).toBe(false);
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });

  test.each([
    [["run"], {}, 2, /task is needed/u],
    [["run", "x"], { WARDER_MODEL: "" }, 2, /model is needed/u],
    [["run", "--model", "anthropic:some-model", "x"], { ANTHROPIC_API_KEY: "" }, 78, /ANTHROPIC_API_KEY/u],
    [["run", "--model", "scripted:/no/such/file.yaml", "x"], {}, 78, /cannot be read/u],
    [["exec", "--workspace", "/no/such/folder", "--", "true"], {}, 2, /no\/such\/folder/u],
    [["frobnicate"], {}, 2, /unknown command/u],
  ])("%j exits with a clear message", async (argv, environment, exitCode, message) => {
    const end = await warder(place(), argv, { environment });
    expect(end.exitCode).toBe(exitCode);
    expect(end.stderr).toMatch(message);
  });
});

describeWithDocker("warder changes apply", () => {
  test("lands no link to a protected path, and no file where the policy protects it", async () => {
    const here = place();
    mkdirSync(join(here.workspace, "policies"));
    writeFileSync(join(here.workspace, "policies", "own.txt"), "mine\n");
    // Nobody can read from this text what it writes: what lands is judged when it lands.
    const command = `python3 -c 'import os; os.symlink("policies/own.txt", "looks-harmless"); os.makedirs("sub/.vs" + "code"); open("sub/.vs" + "code/tasks.json", "w"); open("fine.txt", "w")'`;
    expect((await warder(here, ["exec", "--policy", "unattended", "--", command])).exitCode).toBe(0);
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { id: string }[] };
    const end = await warder(here, ["changes", "apply", runs[0]?.id ?? "", "--yes"]);
    expect(end.exitCode).toBe(1);
    expect(readdirSync(here.workspace).toSorted()).toEqual(["fine.txt", "policies", "sub"]);
    expect(existsSync(join(here.workspace, "sub", ".vscode", "tasks.json"))).toBe(false);
    expect(end.stdout).toMatch(/left out.*looks-harmless.*protects/u);
  });
});
