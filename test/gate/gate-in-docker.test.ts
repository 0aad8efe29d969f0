import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { profileOf } from "../../src/app/setup/profile.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { createGate } from "../../src/gate/create-gate.ts";
import type { CallEnd } from "../../src/gate/gate.ts";
import { newId } from "../../src/base/ids.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { run } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { until } from "../support/until.ts";
import { policyText, scene, textOf, YES, type SceneOptions } from "./gate-scene.ts";

/** The same scene with a real container in the place of the double. */
async function contained(options: SceneOptions = {}, prepare: (workspace: string) => void = () => null) {
  const base = scene(options);
  prepare(base.workspace);
  const { policy, setting, ownPaths, store } = base.parts;
  const runId = newId("run");
  const runDirectory = join(store.paths.runs, runId);
  mkdirSync(runDirectory, { mode: 0o700 });
  const session = await dockerRuntime().open(profileOf(policy, { ...setting, ownPaths, environment: {} }), { runId, runDirectory });
  onTestFinished(() => session.close());
  const parts = { ...base.parts, runId, session };
  const gate = createGate(parts);
  let calls = 0;
  const call = async (name: string, input: unknown, signal = new AbortController().signal): Promise<CallEnd> => {
    calls += 1;
    return await gate.runToolCall({ id: `call-${calls}`, name, input }, { signal, emit: () => null });
  };
  return { ...base, parts, session, call };
}

describeWithDocker("the gate over a real container", () => {
  test("runs, writes, reads back and searches, and the log is whole", async () => {
    const { call, parts, records, workspace } = await contained({ policy: policyText({ autonomy: "full", workspace: "transactional" }) });
    expect(textOf(await call("shell", { command: "echo hi" }))).toContain("hi\n");
    expect((await call("write_file", { path: "src/a.txt", content: "needle\n" })).kind).toBe("executed");
    expect(textOf(await call("shell", { command: "cat src/a.txt" }))).toContain("needle");
    expect(textOf(await call("grep_search", { pattern: "needle" }))).toContain("src/a.txt");
    expect(textOf(await call("list_files", { path: "src" }))).toContain("a.txt");
    expect(existsSync(join(workspace, "src"))).toBe(false);
    expect(records("outcome").map((record) => record.payload["outcome"])).toEqual(["completed", "completed", "completed", "completed", "completed"]);
    // ripgrep ends with 1: nothing was found, and no command of the model's failed.
    expect(await call("grep_search", { pattern: "in-no-file" })).toMatchObject({ kind: "executed", exitCode: null, result: { isError: false } });
    expect(records("outcome").at(-1)?.payload).toMatchObject({ outcome: "completed", exitCode: null });
    expect(verifyAudit(parts.audit)).toMatchObject({ isIntact: true, interrupted: [] });
  });

  test("what a project's files alone make run is judged by whether they are there, inside", async () => {
    const { call } = await contained({}, (workspace) => {
      mkdirSync(join(workspace, "deep"));
      writeFileSync(join(workspace, "deep", "rust-toolchain"), "./evil");
    });
    expect((await call("shell", { command: "cargo --version" })).kind).toBe("executed");
    expect((await call("shell", { command: "cd /tmp && cargo --version" })).kind).toBe("executed");
    expect((await call("shell", { command: "cd deep && cargo --version" })).kind).toBe("denied");
  });

  test("names in git's index are read inside, where a command may have added one", async () => {
    const { call, session } = await contained({ policy: policyText({ workspace: "transactional" }) }, (workspace) => {
      mkdirSync(join(workspace, "src"));
      for (const name of ["a.ts", "src/b.ts"]) writeFileSync(join(workspace, name), "needle\n");
      for (const words of ["init -q", "add -A"]) execFileSync("git", words.split(" "), { cwd: workspace });
    });
    expect(textOf(await call("shell", { command: "git ls-files | xargs wc -l" }))).toContain("2 total");
    expect(textOf(await call("shell", { command: "cd src && git grep -l needle | xargs cat" }))).toContain("needle");
    await run(session, "touch ./-f && git add -- -f && rm ./-f");
    expect((await call("shell", { command: "git ls-files | xargs wc -l" })).kind).toBe("denied");
  });

  test("a database's schema is read inside", async () => {
    const { call } = await contained({}, (workspace) => {
      for (const [name, schema] of [
        ["plain.db", "CREATE TABLE users(name)"],
        ["view.db", "CREATE VIEW users AS SELECT edit('', 'touch owned; true')"],
      ] as const) {
        const database = new DatabaseSync(join(workspace, name));
        database.exec(schema);
        database.close();
      }
    });
    expect((await call("shell", { command: "sqlite3 plain.db 'SELECT * FROM users'" })).kind).toBe("executed");
    expect((await call("shell", { command: "sqlite3 view.db 'SELECT * FROM users'" })).kind).toBe("denied");
  });

  test("a link is judged by where it leads inside", async () => {
    const { call } = await contained({}, (workspace) => {
      symlinkSync("/etc/shadow", join(workspace, "notes"));
    });
    const end = await call("read_file", { path: "notes" });
    expect(end.kind).toBe("denied");
    expect(textOf(end)).toContain("forbidden-path");
  });

  test("a script that was changed on the host while the person thought is void", async () => {
    const held = await contained(
      {
        answer: () => {
          writeFileSync(join(held.workspace, "go.sh"), "touch owned");
          return YES;
        },
      },
      (workspace) => {
        writeFileSync(join(workspace, "go.sh"), "true");
      },
    );
    const end = await held.call("shell", { command: "bash go.sh" });
    expect(end.kind).toBe("denied");
    expect(textOf(end)).toContain("facts-changed");
    expect(existsSync(join(held.workspace, "owned"))).toBe(false);
  });

  test("what runs when the run is cancelled ends, and is recorded as cancelled", async () => {
    const { call, records } = await contained();
    const cancel = new AbortController();
    const end = call("shell", { command: "sleep 1000" }, cancel.signal);
    await until("the command begins", () => records("permit-spent").length === 1);
    cancel.abort();
    expect((await end).kind).toBe("cancelled");
    expect(records("outcome")[0]?.payload).toMatchObject({ outcome: "cancelled" });
  });

  test("a job is judged as the same command in the shell, and every step of it is recorded", async () => {
    const { call, parts, records } = await contained({ policy: policyText({ autonomy: "full", workspace: "transactional" }) });
    const refused = "cat /etc/shadow";
    const [shell, job] = [await call("shell", { command: refused }), await call("start_job", { command: refused })];
    expect([shell.kind, job.kind]).toEqual(["denied", "denied"]);
    expect(textOf(job)).toBe(textOf(shell));
    const started = await call("start_job", { command: "echo one; mkdir made" });
    expect(started).toMatchObject({ kind: "executed", result: { label: "untrusted" } });
    const id = /job-\w+/u.exec(textOf(started))?.[0] ?? "";
    expect(textOf(await call("read_job", { job: id, wait_seconds: 60 }))).toContain("one\n");
    // This one waits for its end.
    await call("read_job", { job: id, wait_seconds: 60 });
    expect(textOf(await call("stop_job", { job: id }))).toContain("ended with exit code 0");
    expect(textOf(await call("list_jobs", {}))).toContain(id);
    expect(textOf(await call("read_job", { job: "job-none" }))).toContain("no such job");
    expect(records("permit-spent").map(({ payload }) => payload["does"])).toEqual(["start-job", "read-job", "read-job", "stop-job", "list-jobs", "read-job"]);
    expect(records("ruling")).toHaveLength(8);
    expect(verifyAudit(parts.audit)).toMatchObject({ isIntact: true, interrupted: [] });
  });
});
