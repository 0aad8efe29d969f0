import { spawnSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Permit } from "../../src/policy/permit.ts";
import { digestOf } from "../../src/base/digest.ts";
import type { Runtime, Session } from "../../src/sandbox/runtime.ts";
import { rounds } from "../support/extent.ts";
import { until } from "../support/until.ts";
import { discardChanges } from "./landed-changes.ts";
import { bash, IS_GVISOR, makeFixture, perform, profileOf, run, type SandboxFixture } from "./sandbox-fixture.ts";

/** More than all of these commands print. */
const MUCH = 64 * 1024 * 1024;

export type RuntimeUnderTest = {
  readonly make: () => Runtime;
  /** Sandboxes of a run that have not ended. */
  readonly running: (runId: string) => readonly string[];
  /** What is still there of a run: containers, volumes, processes. */
  readonly leftovers: (runId: string) => readonly string[];
};

/** Mounts of this machine below a folder. */
export function mountsBelow(folder: string): readonly string[] {
  return (spawnSync("cat", ["/proc/self/mountinfo"], { encoding: "utf8" }).stdout ?? "").split("\n").filter((line) => line.includes(folder));
}

/** How every runtime performs commands and file verbs, and ends. */
export function runtimeContract(under: RuntimeUnderTest): void {
  describe("performs actions", () => {
    let fixture: SandboxFixture;
    let session: Session;
    beforeAll(async () => {
      fixture = makeFixture({ "a.txt": "alpha\n", "folder/b.txt": "beta\n" });
      session = await under
        .make()
        .open(profileOf(fixture, { env: { GREETING: "hi" }, settings: { outputBytes: MUCH } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    });
    afterAll(async () => {
      await session.close();
      expect(under.leftovers(fixture.runId)).toEqual([]);
      expect(mountsBelow(fixture.folder)).toEqual([]);
      fixture.remove();
    });

    test("returns what a command printed and its exit code", async () => {
      expect(await run(session, "echo out; echo err >&2; exit 3")).toEqual({ code: 3, signal: null, out: "out\n", err: "err\n" });
    });

    test("names the signal that ended a command", async () => {
      expect(await run(session, "kill -TERM $$")).toMatchObject({ code: null, signal: "SIGTERM" });
    });

    test("goes on whatever a command sends its first process", async () => {
      // rt_sigqueueinfo(2) with SI_QUEUE and no process as the sender.
      const forged = `perl -e '$info = pack("iiiiii", 15, 0, -1, 0, 0, 0) . "\\0" x 104; syscall($ENV{HOSTTYPE} eq "x86_64" ? 129 : 138, 1, 15, $info)'`;
      await run(session, `kill -TERM 1; export HOSTTYPE; ${forged}; sleep 0.1`);
      expect(await run(session, "echo still there")).toMatchObject({ code: 0, out: "still there\n" });
    });

    test("fails with a word for a program and a directory that are not there", async () => {
      const missing = await perform(session, { ...bash(session, ""), argv: ["/no/such/program"] });
      expect(missing).toMatchObject({ kind: "failed", code: "not-found" });
      expect(await perform(session, { ...bash(session, "true"), cwd: "/no/such" })).toMatchObject({ kind: "failed", code: "not-found" });
    });

    test("gives a command the stated environment and nothing of Warder's", async () => {
      process.env["WARDER_TEST_SECRET"] = "do-not-show";
      const { out } = await run(session, "env -u _ -u SHLVL -u PWD -u OLDPWD env | cut -d= -f1 | sort | tr '\\n' ' '");
      const own = ["GIT_CONFIG_COUNT", ...["KEY", "VALUE"].flatMap((part) => [0, 1, 2, 3, 4].map((at) => `GIT_CONFIG_${part}_${String(at)}`)), "RUFF_NO_CACHE"];
      // Said to package managers where there is no network, so that they do not try for long.
      const offline = [
        "BUNDLE_RETRY",
        "CARGO_NET_OFFLINE",
        "COMPOSER_DISABLE_NETWORK",
        "CONDA_OFFLINE",
        "DENO_NO_UPDATE_CHECK",
        "GOPROXY",
        "GOTOOLCHAIN",
        "NO_UPDATE_NOTIFIER",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PIP_RETRIES",
        "UV_OFFLINE",
        "YARN_ENABLE_NETWORK",
        "npm_config_offline",
        "npm_config_update_notifier",
      ];
      expect(out.trim().split(" ").toSorted()).toEqual([...own, ...offline, "GREETING", "HOME", "LANG", "PATH", "TERM", "USER"].toSorted());
      expect((await run(session, "echo $GREETING $HOME; cat /proc/1/environ 2>&1")).out).not.toContain("do-not-show");
    });

    test("lets neither a call nor a passed-through variable replace PATH", async () => {
      const outcome = await perform(session, { ...bash(session, "echo $PATH"), env: { PATH: "/evil" } });
      expect(outcome).toMatchObject({ kind: "completed", result: { stdout: { text: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n" } } });
    });

    test("bounds the output of a command that never stops printing", async () => {
      const outcome = await perform(session, bash(session, "yes | head -c 50000000", { outputBytes: 10_000 }));
      if (outcome.kind !== "completed" || outcome.result.kind !== "exec") throw new Error(JSON.stringify(outcome));
      expect(outcome.result.stdout.totalBytes).toBe(50_000_000);
      expect(outcome.result.stdout.text.length).toBeLessThanOrEqual(10_100);
      expect(outcome.result.stdout.cutBytes).toBeGreaterThan(49_900_000);
    });

    test("streams text as it arrives", async () => {
      const seen: string[] = [];
      await perform(session, bash(session, "printf one; echo two >&2"), { onOutput: (stream, text) => seen.push(`${stream}:${text}`) });
      expect(seen.toSorted()).toEqual(["stderr:two\n", "stdout:one"]);
    });

    test("gives everything to a reader that takes a part at a time", async () => {
      let characters = 0;
      const onOutput = async (_stream: string, text: string): Promise<void> => {
        await setImmediate();
        characters += text.length;
      };
      const outcome = await perform(session, bash(session, "yes | head -c 5000000", { outputBytes: MUCH }), { onOutput });
      expect(outcome).toMatchObject({ kind: "completed", result: { exitCode: 0, stdout: { totalBytes: 5_000_000, cutBytes: 0 } } });
      await until("the last part to be taken", () => characters === 5_000_000);
    });

    test("reads, writes and lists files inside", async () => {
      const path = `${fixture.workspace}/made/here.txt`;
      const written = await perform(session, { kind: "write-file", path, content: "grüße\n", expected: null });
      expect(written).toMatchObject({ kind: "completed", result: { kind: "write-file", created: true } });
      const read = await perform(session, { kind: "read-file", path, offset: 0, length: 100 });
      if (read.kind !== "completed" || read.result.kind !== "read-file") throw new Error(JSON.stringify(read));
      expect(new TextDecoder().decode(read.result.bytes)).toBe("grüße\n");
      expect(await perform(session, { kind: "write-file", path, content: "x", expected: null })).toMatchObject({ kind: "failed", code: "conflict" });
      expect(await perform(session, { kind: "write-file", path, content: "x", expected: read.result.sha256 })).toMatchObject({
        kind: "completed",
        result: { created: false },
      });
      const listed = await perform(session, { kind: "list", path: fixture.workspace, depth: 2, maxEntries: 100 });
      if (listed.kind !== "completed" || listed.result.kind !== "list") throw new Error(JSON.stringify(listed));
      expect(listed.result.entries.map((entry) => entry.name)).toEqual(["a.txt", "folder", "folder/b.txt", "made", "made/here.txt"]);
    });

    test("measures paths as a command would find them", async () => {
      await run(session, "ln -sfn /etc/passwd out; ln -sfn a.txt in");
      const [link, inside, missing, directory] = await session.resolve(["out", "in", "none/x", "folder"].map((name) => `${fixture.workspace}/${name}`));
      expect(link).toMatchObject({ real: "/etc/passwd", type: "file" });
      expect(inside).toMatchObject({ real: `${fixture.workspace}/a.txt`, type: "file", links: 1 });
      expect(missing).toMatchObject({ real: `${fixture.workspace}/none/x`, type: "missing" });
      expect(directory).toMatchObject({ type: "directory" });
    });

    test("hashes files and returns small texts", async () => {
      const [digest, none] = await session.hash([`${fixture.workspace}/a.txt`, `${fixture.workspace}/none`]);
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(none).toBeNull();
      const texts = await session.texts([`${fixture.workspace}/a.txt`, `${fixture.workspace}/none`]);
      expect([...texts.values()]).toEqual(["alpha\n", null]);
    });

    test("returns the bytes of a file that is no larger than asked", async () => {
      await run(session, "printf '\\0\\377x' > bytes; mkfifo pipe");
      const at = (name: string): string => `${fixture.workspace}/${name}`;
      expect(await session.bytes(at("bytes"), 3)).toEqual(Buffer.from([0, 255, 120]));
      expect(await session.bytes(at("bytes"), 2)).toBeNull();
      for (const path of [at("none"), at("pipe"), fixture.workspace]) expect([path, await session.bytes(path, 10_000)]).toEqual([path, null]);
    });

    test("names everything below a directory, or says that it cannot", async () => {
      await run(session, "mkdir -p names/a/b; touch 'names/a/c d' $'names/\\xff' names/a/b/e; ln -s /etc names/link; chmod 700 names");
      const at = `${fixture.workspace}/names`;
      expect((await session.names(at))?.toSorted()).toEqual(["a", "a/b", "a/b/e", "a/c d", "link", "\ufffd"]);
      expect((await session.names(at, 1))?.toSorted()).toEqual(["a", "link", "\ufffd"]);
      expect(await session.names(`${fixture.workspace}/none`)).toBeNull();
      await run(session, `mkdir -p names/${"d/".repeat(64)}`);
      expect(await session.names(at)).toBeNull();
      expect((await session.names(at, 1))?.length).toBe(4);
      expect((await session.names(`${at}/d/d`))?.length).toBe(62);
    });

    test("refuses a permit that was spent or issued for something else", async () => {
      const action = bash(session, "echo once");
      const permit = new Permit(digestOf(action), "ruling");
      await session.perform(permit, action);
      expect(() => session.perform(permit, action)).toThrow(/twice/);
      expect(() => session.perform(new Permit(digestOf(bash(session, "echo other")), "ruling"), action)).toThrow(/another action/);
    });
  });

  describe("ends what runs", () => {
    let fixture: SandboxFixture;
    let session: Session;
    beforeAll(async () => {
      fixture = makeFixture();
      session = await under.make().open(profileOf(fixture, { settings: { outputBytes: MUCH } }), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    });
    afterAll(async () => {
      await session.close();
      await session.close();
      expect(under.leftovers(fixture.runId)).toEqual([]);
      fixture.remove();
    });

    test("kills the whole tree at the time limit, daemons and whoever ignores TERM included", async () => {
      const text = "trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; echo started; sleep 1000";
      const outcome = await perform(session, bash(session, text, { timeoutMs: 10_000 }));
      expect(outcome).toMatchObject({ kind: "timed-out", partial: { kind: "exec", stdout: { text: "started\n" } } });
      expect((await run(session, "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; done 2>/dev/null")).out).not.toContain("sleep 1000");
    });

    test("cancels on a signal and performs the next command", async () => {
      const controller = new AbortController();
      const pending = perform(session, bash(session, "echo started; sleep 120; echo late"), { signal: controller.signal, onOutput: () => controller.abort() });
      expect(await pending).toMatchObject({ kind: "cancelled", partial: { kind: "exec", stdout: { text: "started\n" } } });
      expect((await run(session, "echo next")).out).toBe("next\n");
    });

    test("holds a command up while nobody takes what it prints, until its time is over", async () => {
      const forever = new Promise<void>(() => undefined);
      const held = bash(session, "yes | head -c 40000000", { timeoutMs: 2000, outputBytes: MUCH });
      const outcome = await perform(session, held, { onOutput: () => forever });
      if (outcome.kind !== "timed-out" || outcome.partial?.kind !== "exec") throw new Error(JSON.stringify(outcome).slice(0, 500));
      // What fits between the command and its reader.
      expect(outcome.partial.stdout.totalBytes).toBeLessThan(10_000_000);
      expect((await run(session, "echo next")).out).toBe("next\n");
    });

    test("cancels a command that is held up", async () => {
      const controller = new AbortController();
      const onOutput = (): Promise<void> => {
        controller.abort();
        return new Promise(() => undefined);
      };
      const outcome = await perform(session, bash(session, "yes | head -c 40000000; sleep 1000", { outputBytes: MUCH }), {
        signal: controller.signal,
        onOutput,
      });
      expect(outcome).toMatchObject({ kind: "cancelled" });
      expect((await run(session, "echo next")).out).toBe("next\n");
    });

    test("leaves nothing of a background process for the next command", async () => {
      await run(session, "(setsid sleep 999 >/dev/null 2>&1 &)");
      expect((await run(session, "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; done 2>/dev/null")).out).not.toContain("sleep 999");
    });

    // gVisor ends with everything in it when its threads run out: the next test.
    test.skipIf(IS_GVISOR)("contains a fork bomb", async () => {
      const outcome = await perform(session, bash(session, "bomb() { bomb | bomb & }; bomb; sleep 1000", { timeoutMs: 1500 }));
      expect(["timed-out", "completed"]).toContain(outcome.kind);
      expect((await run(session, "echo alive")).out).toBe("alive\n");
    });

    test("contains a memory bomb", async () => {
      const outcome = await perform(session, bash(session, "head -c 2000000000 /dev/zero | tail | cat > /dev/null; echo over", { timeoutMs: 100_000 }));
      expect(["completed", "timed-out", "failed"]).toContain(outcome.kind);
    });
  });

  test.runIf(IS_GVISOR)("loses the session to a fork bomb below gVisor, and leaves nothing", async () => {
    const fixture = makeFixture();
    const session = await under.make().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    const outcome = await perform(session, bash(session, "bomb() { bomb | bomb & }; bomb; sleep 1000", { timeoutMs: 10_000 }));
    expect(outcome.kind === "failed" ? outcome.code : outcome.kind).toMatch(/^(?:session-lost|timed-out|completed)$/u);
    await session.close();
    expect(under.leftovers(fixture.runId)).toEqual([]);
    expect(mountsBelow(fixture.folder)).toEqual([]);
    fixture.remove();
  });

  test("contains many files, which discard removes", async () => {
    const count = rounds(10_000, 100_000);
    const fixture = makeFixture({ "a.txt": "a" });
    const open = (): Promise<Session> => under.make().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    let session = await open();
    try {
      await run(session, `mkdir many; cd many; seq 1 ${String(count)} | xargs -n 5000 touch`);
      expect((await session.changes()).length).toBe(count + 1);
      await discardChanges({ session, runDirectory: fixture.runDirectory });
      session = await open();
      expect(await session.changes()).toEqual([]);
      expect((await run(session, "ls")).out).toBe("a.txt\n");
    } finally {
      await session.close();
      fixture.remove();
    }
  });

  test("keeps two sessions apart", async () => {
    const fixtures = [makeFixture({ "name.txt": "one" }), makeFixture({ "name.txt": "two" })];
    const sessions = await Promise.all(
      fixtures.map((fixture) => under.make().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory })),
    );
    try {
      const results = await Promise.all(sessions.map((session) => run(session, "cat name.txt; touch /tmp/mark; echo /tmp/*")));
      expect(results.map((result) => result.out)).toEqual(["one/tmp/mark\n", "two/tmp/mark\n"]);
    } finally {
      for (const session of sessions) await session.close();
      for (const fixture of fixtures) fixture.remove();
    }
  });
}
