import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandUid, isRoot, openSession, shell, type TestSession } from "./process.ts";

let session: TestSession;
beforeAll(async () => {
  session = await openSession();
});
afterAll(() => session.close());

const text = (reply: Awaited<ReturnType<typeof shell>>): string => ("stdout" in reply ? reply.stdout.text : "");

describe("a command", () => {
  it("gives its exit code, both streams and their sizes", async () => {
    const reply = await shell(session, "echo out; echo err >&2; exit 3");
    expect(reply).toMatchObject({ kind: "ended", cause: "itself", exitCode: 3, signal: null, orphans: 0 });
    expect(reply).toMatchObject({ stdout: { text: "out\n", totalBytes: 4, cutBytes: 0 }, stderr: { text: "err\n", totalBytes: 4, cutBytes: 0 } });
  });

  it("that a signal ends is reported as such", async () => {
    expect(await shell(session, "kill -SEGV $$")).toMatchObject({ exitCode: null, signal: "SIGSEGV", cause: "itself" });
  });

  it("has exactly the environment, the directory and the descriptors it was given", async () => {
    const env = { PATH: "/usr/bin:/bin", A: "1 =2", B: "" };
    const reply = await session.client.exec({ argv: ["/usr/bin/env"], cwd: "/usr", env, timeoutMs: 120_000, outputBytes: 1000 });
    expect(
      text(reply)
        .split("\n")
        .filter((line) => line !== "" && !/^(_|SHLVL|PWD)=/u.test(line))
        .toSorted(),
    ).toEqual(["A=1 =2", "B=", "PATH=/usr/bin:/bin"]);
    expect(text(await shell(session, "pwd; readlink /proc/self/fd/0"))).toBe(`${session.workspace.path}\n/dev/null\n`);
    // The fourth is the listing's own.
    expect(text(await session.client.exec({ argv: ["/bin/ls", "/proc/self/fd"], cwd: "/", env, timeoutMs: 120_000, outputBytes: 1000 }))).toBe("0\n1\n2\n3\n");
  });

  it("runs unprivileged: no capabilities, no new privileges, no groups, no core files, umask 022", async () => {
    const shown = text(
      await shell(session, "id -u; umask; ulimit -c; grep -E '^(Groups|CapPrm|CapEff|CapInh|CapAmb|NoNewPrivs):' /proc/self/status | tr -s ' \\t' ' '"),
    );
    const none = "0000000000000000";
    expect(shown).toContain(`${commandUid}\n0022\n0\n`);
    expect(shown).toContain(isRoot ? "Groups: \n" : "Groups:");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"]) expect(shown).toContain(`${set}: ${none}`);
    expect(shown).toContain("NoNewPrivs: 1");
  });

  it("gets the input it was given, and an empty one otherwise", async () => {
    const request = { argv: ["/bin/cat"], cwd: "/", env: {}, timeoutMs: 120_000, outputBytes: 1_000_000 };
    const stdin = Buffer.alloc(300_000, "0123456789");
    const reply = await session.client.exec({ ...request, stdin });
    expect(text(reply)).toBe(stdin.toString());
    expect(await session.client.exec(request)).toMatchObject({ exitCode: 0, stdout: { totalBytes: 0 } });
    expect(await session.client.exec({ ...request, argv: ["/bin/true"], stdin })).toMatchObject({ exitCode: 0 });
  });

  it("reads what it is fed while it runs, until its input is ended", async () => {
    const request = { argv: ["/bin/cat"], cwd: "/", env: {}, timeoutMs: 120_000, outputBytes: 10_000_000 };
    const lines: string[] = [];
    let feed: (bytes: Uint8Array) => void = () => undefined;
    const onOutput = (_stream: string, output: string): void => {
      lines.push(output);
      if (output === "one\n") feed(Buffer.from("two\n"));
      else if (output === "two\n") feed(Buffer.alloc(3_000_000, "x"));
      if (lines.join("").length === 3_000_008) feed(new Uint8Array());
    };
    const onInput = (given: typeof feed): void => {
      feed = given;
      feed(Buffer.from("one\n"));
    };
    expect(await session.client.exec(request, { onOutput, onInput })).toMatchObject({ kind: "ended", exitCode: 0, stdout: { totalBytes: 3_000_008 } });
    // Of a call that has ended.
    feed(Buffer.from("late"));
    const both = (given: typeof feed): void => {
      given(Buffer.from("and fed"));
      given(new Uint8Array());
    };
    expect(text(await session.client.exec({ ...request, stdin: Buffer.from("given ") }, { onInput: both }))).toBe("given and fed");
  });

  it("that leaves 16 MiB of what it is fed unread is ended", async () => {
    const onInput = (feed: (bytes: Uint8Array) => void): void => {
      for (let part = 0; part < 5; part += 1) feed(Buffer.alloc(4 * 1024 * 1024, "x"));
    };
    const reply = await session.client.exec({ argv: ["/bin/sleep", "60"], cwd: "/", env: {}, timeoutMs: 120_000, outputBytes: 100 }, { onInput });
    expect(reply).toMatchObject({ kind: "ended", cause: "input-limit" });
    expect(text(await shell(session, "echo next"))).toBe("next\n");
  });

  it("that cannot start says where and why, and nothing ran", async () => {
    const request = { argv: ["true"], cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 120_000, outputBytes: 100 };
    expect(await session.client.exec({ ...request, argv: ["no-such-program"] })).toMatchObject({ kind: "not-started", stage: "program", errno: "ENOENT" });
    expect(await session.client.exec({ ...request, argv: ["/etc/passwd"] })).toMatchObject({ stage: "program", errno: "EACCES" });
    expect(await session.client.exec({ ...request, cwd: "/no/such" })).toMatchObject({ stage: "cwd", errno: "ENOENT" });
    expect(await session.client.exec({ ...request, argv: ["true", "a\0b"] })).toMatchObject({ kind: "not-started", stage: "bad-request" });
    expect(await session.client.exec({ ...request, env: { "A=B": "" } })).toMatchObject({ kind: "not-started", stage: "bad-request" });
    expect(await session.client.exec({ ...request, argv: ["true", "x".repeat(200_000)] })).toMatchObject({ stage: "program", errno: "E2BIG" });
  });

  it("meets the limits that the supervisor was started with", async () => {
    const limited = await openSession(["--nofile=77", "--fsize=1048576"]);
    expect(text(await shell(limited, "ulimit -n; ulimit -Hn"))).toBe("77\n77\n");
    expect(await shell(limited, "exec dd if=/dev/zero of=big bs=1M count=3 2>/dev/null")).toMatchObject({ signal: "SIGXFSZ" });
    await limited.close();
  });

  it("is answered in the order of the calls, one at a time", async () => {
    const scripts = ["sleep 0.2; echo 1", "echo 2", "echo 3"];
    const replies = await Promise.all(scripts.map((script) => shell(session, `[ ! -e busy ] || echo overlap; touch busy; ${script}; rm busy`)));
    expect(replies.map(text)).toEqual(["1\n", "2\n", "3\n"]);
  });
});

describe("output", () => {
  it("arrives while the command runs, with characters whole", async () => {
    const arrived: string[] = [];
    const request = {
      // Its last word comes when the first was heard.
      argv: ["/bin/sh", "-c", "printf '\\342\\202'; sleep 0.3; printf '\\254'; until [ -e heard ]; do sleep 0.05; done; printf end"],
      cwd: session.workspace.path,
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: 120_000,
      outputBytes: 100,
    };
    const reply = await session.client.exec(request, {
      onOutput: (stream, part) => {
        arrived.push(`${stream}:${part}`);
        writeFileSync(join(session.workspace.path, "heard"), "");
      },
    });
    expect(arrived).toEqual(["stdout:€", "stdout:end"]);
    expect(text(reply)).toBe("€end");
  });

  it.each([60, 20_000, 1_000_000])("given as it arrives is in the end what the reply holds, with %i bytes kept", async (outputBytes) => {
    const arrived = { stdout: "", stderr: "" };
    const request = {
      argv: ["/bin/sh", "-c", "seq 1 3000; printf '\\342\\202'; seq 1 20 >&2"],
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: 120_000,
      outputBytes,
    };
    const reply = await session.client.exec(request, {
      onOutput: (stream, part) => {
        arrived[stream] += part;
      },
    });
    expect(reply).toMatchObject({ kind: "ended", stdout: { text: arrived.stdout }, stderr: { text: arrived.stderr } });
    expect(arrived.stdout).toContain("\uFFFD");
  });

  it("beyond the limit is dropped and counted, and head and tail are kept", async () => {
    const reply = await shell(session, "seq 1 100000", { outputBytes: 40 });
    const { text: shown, totalBytes, cutBytes } = "stdout" in reply ? reply.stdout : { text: "", totalBytes: 0, cutBytes: 0 };
    expect(totalBytes).toBe(588_895);
    expect(cutBytes).toBe(588_855);
    expect(shown).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n[588855 bytes left out]\n\n99998\n99999\n100000\n");
  });

  it("of 200 MB is bounded on the wire and complete in its count", async () => {
    expect(await shell(session, "head -c 200000000 /dev/zero", { outputBytes: 1000 })).toMatchObject({
      exitCode: 0,
      stdout: { totalBytes: 200_000_000, cutBytes: 199_999_000 },
    });
  });

  it("of exactly the limit is whole, also on both streams and in binary", async () => {
    const reply = await shell(session, "head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2", { outputBytes: 5000 });
    expect(reply).toMatchObject({ stdout: { totalBytes: 5000, cutBytes: 0 }, stderr: { totalBytes: 5000, cutBytes: 0 } });
  });

  it("ends the command at the limit when that was asked for", async () => {
    const request = { argv: ["/usr/bin/yes"], cwd: "/", env: {}, timeoutMs: 120_000, outputBytes: 10_000, onLimit: "kill" } as const;
    expect(await session.client.exec(request)).toMatchObject({ kind: "ended", cause: "output-limit", signal: "SIGKILL" });
  });

  it("of background processes that hold the pipe does not keep the call open", async () => {
    expect(await shell(session, "(while :; do echo x; sleep 0.01; done) & echo started", { timeoutMs: 120_000 })).toMatchObject({
      cause: "itself",
      exitCode: 0,
    });
  });
});
