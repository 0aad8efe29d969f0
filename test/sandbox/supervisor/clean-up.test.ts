import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSession, shell, type TestSession } from "./process.ts";

let session: TestSession;
beforeAll(async () => {
  // A full process limit is part of the attack: the sweep must not need a fork.
  session = await openSession(["--nproc=60"]);
});
afterAll(() => session.close());

/** Processes of the namespace besides the supervisor and the shell that counts them (with built-ins only). */
async function survivors(): Promise<string> {
  const reply = await shell(session, 'for p in /proc/[0-9]*; do case ${p#/proc/} in 1|$$) ;; *) echo "$p" ;; esac; done');
  return reply.kind === "ended" ? reply.stdout.text : reply.kind;
}

const attacks: readonly (readonly [string, string])[] = [
  ["a child in the background", "sleep 1000 & echo"],
  ["a daemon in a session of its own", "setsid sh -c 'sleep 1000; true' > /dev/null 2>&1 & echo"],
  ["a process that ignores every signal it can", "trap '' TERM HUP INT QUIT; sh -c 'trap \"\" TERM HUP; sleep 1000; true' & echo"],
  ["a stopped process", "sleep 1000 & kill -STOP $!; echo"],
  ["a tree of grandchildren", "for i in 1 2 3 4 5 6; do (sh -c 'sleep 1000 & sleep 1000; true' &) ; done; echo"],
];

describe("after a command", () => {
  it.each(attacks)("nothing is left of %s", async (_name, script) => {
    expect(await shell(session, script)).toMatchObject({ kind: "ended", cause: "itself", exitCode: 0 });
    expect(await survivors()).toBe("");
  });

  it("says how many processes it had to end", async () => {
    expect(await shell(session, "sleep 1000 & sleep 1000 & echo")).toMatchObject({ orphans: 2 });
  });
});

describe("the time limit", () => {
  it("ends a command that ignores signals", async () => {
    expect(await shell(session, "trap '' TERM INT HUP; while :; do sleep 1; done", { timeoutMs: 1000 })).toMatchObject({
      cause: "timed-out",
      signal: "SIGKILL",
      exitCode: null,
    });
    expect(await survivors()).toBe("");
  });

  it("keeps what was written until then", async () => {
    expect(await shell(session, "echo early; sleep 1000", { timeoutMs: 4000 })).toMatchObject({ cause: "timed-out", stdout: { text: "early\n" } });
  });

  // It waits with a built-in: a shell that can start nothing would end by itself.
  it("ends a fork bomb that has filled the process limit, and the next command works", async () => {
    expect(await shell(session, "bomb() { bomb | bomb & }; bomb; while :; do :; done", { timeoutMs: 1500 })).toMatchObject({ cause: "timed-out" });
    expect(await shell(session, "echo alive")).toMatchObject({ exitCode: 0, stdout: { text: "alive\n" } });
    expect(await survivors()).toBe("");
  });

  it("ends a command that writes without end", async () => {
    expect(await shell(session, "yes", { timeoutMs: 300, outputBytes: 100 })).toMatchObject({ cause: "timed-out" });
  });
});

/** Opens the standard output of `sleep SECONDS` in there, as a process of another sandbox has it that was sent it over a socket. */
async function takeOutput(seconds: string): Promise<number> {
  const isIt = (pid: string): boolean => {
    const file = `/proc/${pid}/cmdline`;
    return /^\d+$/u.test(pid) && existsSync(file) && readFileSync(file, "utf8") === `sleep\0${seconds}\0`;
  };
  const pid = await vi.waitUntil(() => readdirSync("/proc").find(isIt), { timeout: 10_000 });
  return openSync(`/proc/${pid}/fd/1`, "w");
}

describe("a command whose output is held open by a process outside", () => {
  it("has ended when its own processes have, and nothing that it wrote is missing", async () => {
    const ended = shell(session, "echo one; sleep 2.0625; seq 20000; exit 3", { timeoutMs: 30_000, outputBytes: 1_000_000 });
    const held = await takeOutput("2.0625");
    const reply = await Promise.race([ended, sleep(20_000)]);
    closeSync(held);
    expect(reply).toMatchObject({ kind: "ended", cause: "itself", exitCode: 3, stdout: { text: expect.stringMatching(/^one\n1\n[\s\S]*\n20000\n$/u) } });
    expect(await shell(session, "echo next")).toMatchObject({ stdout: { text: "next\n" } });
  });
});

describe("cancelling", () => {
  it("ends the command and reports it", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 150);
    expect(await shell(session, "sleep 1000 & sleep 1000", { signal: abort.signal })).toMatchObject({ cause: "cancelled", signal: "SIGKILL" });
    expect(await survivors()).toBe("");
  });

  it("before the start runs nothing", async () => {
    expect(await shell(session, "touch ran", { signal: AbortSignal.abort() })).toMatchObject({ kind: "not-started", stage: "cancelled" });
    expect(await session.client.resolve([`${session.workspace.path}/ran`])).toMatchObject({ value: [{ type: "missing" }] });
  });
});

describe("the supervisor itself", () => {
  it("cannot be killed, stopped, opened or limited by a command", async () => {
    const reply = await shell(session, "kill -9 1; kill -STOP 1; kill -TERM 1; cat /proc/1/environ; ls /proc/1/fd; echo done");
    expect(reply).toMatchObject({ exitCode: 0, stdout: { text: "done\n" } });
    expect(await shell(session, "echo again")).toMatchObject({ exitCode: 0 });
  });
});
