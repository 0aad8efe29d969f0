import { existsSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { execFileSync, spawnSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { connectSupervisor } from "../../../src/sandbox/supervisor/client.ts";
import { bytes, raw, u16, u32, u8, writeFields } from "../../../src/sandbox/supervisor/fields.ts";
import { createFrameParser, encodeFrame, type Frame } from "../../../src/sandbox/supervisor/frames.ts";
import { REPLY, REQUEST } from "../../../src/sandbox/supervisor/protocol.ts";
import { once, until } from "../../support/until.ts";
import { builtProgram, commandUid, makeWorkspace, openSession, shell, startSupervisor, type SupervisorProcess } from "./process.ts";

const started: SupervisorProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A supervisor without a client: what is written to it is the test's own. */
function start(options: readonly string[] = []): { child: SupervisorProcess; frames: Frame[] } {
  const child = startSupervisor(options);
  started.push(child);
  const parser = createFrameParser();
  const frames: Frame[] = [];
  child.stdout.on("data", (data: Uint8Array) => frames.push(...parser.push(data).frames));
  return { child, frames };
}

async function frameOf(frames: readonly Frame[], type: number): Promise<Frame> {
  const found = (): Frame | undefined => frames.find((frame) => frame.type === type);
  await until(`a frame of type ${type}`, () => found() !== undefined);
  return found() as Frame;
}

const execPayload = (script: string, limitMs = 120_000): Uint8Array => {
  const words = ["/bin/sh", "-c", script];
  return writeFields([u32(limitMs), u8(0), u32(1000), u32(0), bytes("/"), u32(words.length), ...words.map((word) => bytes(word)), u32(0), bytes("")]);
};

/** A command that no other test of this machine runs at the same time. */
const endless = (seconds: number): string => `sleep ${seconds}.${process.pid}`;
/** A process of this script runs on the machine, in whatever namespace. */
const isRunning = (marker: string): boolean => spawnSync("pgrep", ["-f", "--", marker]).status === 0;

describe("the supervisor", () => {
  it("refuses to run where it is not PID 1, as uid 0 for commands, or with arguments it does not know", () => {
    const program = builtProgram("warder-supervisor");
    const status = (...argv: string[]) => spawnSync(program, argv, { input: "" });
    expect(status(`--uid=${commandUid}`, `--gid=${commandUid}`)).toMatchObject({ status: 64 });
    expect(status(`--uid=${commandUid}`, `--gid=${commandUid}`).stderr.toString()).toContain("PID 1");
    for (const argv of [
      [],
      ["--uid=0", "--gid=0"],
      ["--uid=1", "--gid=1", "--root=/x"],
      ["--uid=1", "--gid=1", "--root=rw:/x/../y"],
      ["--uid=1x", "--gid=1"],
      ["--uid=1", "--gid=1", "--nonsense"],
    ]) {
      expect(status(...argv)).toMatchObject({ status: 64 });
    }
  });

  it("greets first, with version, features, identity and limits", async () => {
    const { frames } = start(["--heartbeat-ms=12345"]);
    const hello = await frameOf(frames, REPLY.hello);
    expect(frames[0]).toBe(hello);
    expect([...hello.payload.subarray(0, 6)]).toEqual([0, 1, 0, 0, 0, 63]);
    expect([...hello.payload.subarray(14)]).toEqual([1, 0, 0, 0, 0, 0, 0x30, 0x39]);
  });

  const malformed: readonly (readonly [string, Uint8Array])[] = [
    ["a huge length", Uint8Array.of(0xff, 0xff, 0xff, 0xff, 1)],
    ["a length that is too short", Uint8Array.of(0, 0, 0, 4, 1, 0, 0, 0)],
    ["random text", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
    ["an unknown type", encodeFrame({ type: 0x7f, id: 1, payload: new Uint8Array(0) })],
    ["a reply's type", encodeFrame({ type: REPLY.exit, id: 1, payload: new Uint8Array(30) })],
    ["a ping with a payload", encodeFrame({ type: REQUEST.ping, id: 1, payload: Uint8Array.of(1) })],
  ];
  it.each(malformed)("ends with a fault on %s, and takes a running command with it", async (name, data) => {
    const { child, frames } = start();
    const marker = endless(3077 + malformed.findIndex(([other]) => other === name));
    child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 1, payload: execPayload(`(setsid ${marker} &); echo; ${marker}`) }));
    await frameOf(frames, REPLY.output);
    expect(isRunning(marker)).toBe(true);
    child.stdin.write(data);
    expect(await child.ended).toBe(65);
    expect((await frameOf(frames, REPLY.fault)).payload[0]).toBe(1);
    expect(isRunning(marker)).toBe(false);
  });

  it("answers a call whose payload is malformed, and goes on", async () => {
    const { child, frames } = start();
    const path = bytes("/tmp");
    const bad: readonly (readonly [number, Uint8Array])[] = [
      [REQUEST.exec, new Uint8Array(0)],
      [REQUEST.exec, execPayload("true").subarray(0, 40)],
      [REQUEST.exec, Buffer.concat([execPayload("true"), Uint8Array.of(0)])],
      [REQUEST.exec, writeFields([u32(1000), u8(0xff), u32(1), u32(1), bytes("/"), u32(1), bytes("true"), u32(0), bytes("")])],
      [REQUEST.exec, writeFields([u32(1000), u8(0), u32(1), u32(0xffff_ffff), bytes("/"), u32(1), bytes("true"), u32(0), bytes("")])],
      [REQUEST.exec, writeFields([u32(1000), u8(0), u32(1), u32(1), bytes("/"), u32(0xffff_ffff), bytes("true"), u32(0), bytes("")])],
      [REQUEST.exec, writeFields([u32(1000), u8(0), u32(1), u32(1), bytes("relative"), u32(1), bytes("true"), u32(0), bytes("")])],
      [REQUEST.exec, writeFields([u32(0), u8(0), u32(1), u32(1), bytes("/"), u32(1), bytes("true"), u32(0), bytes("")])],
      [REQUEST.resolve, writeFields([u32(1000), u32(0xffff_ffff), path])],
      [REQUEST.resolve, writeFields([u32(1000), u32(2), path])],
      [REQUEST.hash, writeFields([u32(1000), u32(1), u32(0xffff_fff0)])],
      [REQUEST.read, writeFields([u32(1000), u32(0), u32(0), u32(0xffff_ffff), path])],
      [REQUEST.list, writeFields([u32(1000), u32(1000), u32(1), path])],
      [REQUEST.write, writeFields([u32(1000), u8(3), raw(new Uint8Array(32)), path, bytes("")])],
      [REQUEST.write, writeFields([u32(1000), u8(0), raw(new Uint8Array(32)), bytes("/tmp\0x"), bytes("")])],
    ];
    for (const [index, [type, payload]] of bad.entries()) child.stdin.write(encodeFrame({ type, id: index + 1, payload }));
    child.stdin.write(encodeFrame({ type: REQUEST.ping, id: 99, payload: new Uint8Array(0) }));
    expect((await frameOf(frames, REPLY.pong)).id).toBe(99);
    const exits = frames.filter((frame) => frame.type === REPLY.exit);
    expect(exits.map((frame) => [frame.id, frame.payload[0], frame.payload[6]])).toEqual(bad.map((_, index) => [index + 1, 3, 1]));
  });

  it("answers a second call at once while one is under way", async () => {
    const { child, frames } = start();
    child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 1, payload: execPayload("sleep 1000") }));
    child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 2, payload: execPayload("true") }));
    const exit = await frameOf(frames, REPLY.exit);
    expect([exit.id, exit.payload[0], exit.payload[6]]).toEqual([2, 3, 2]);
    child.stdin.write(encodeFrame({ type: REQUEST.cancel, id: 7, payload: new Uint8Array(0) }));
    child.stdin.write(encodeFrame({ type: REQUEST.cancel, id: 1, payload: new Uint8Array(0) }));
    await until("the second exit", () => frames.filter((frame) => frame.type === REPLY.exit).length === 2);
    expect(frames.filter((frame) => frame.type === REPLY.exit)[1]?.payload[1]).toBe(3);
  });

  it("survives any bytes: it ends cleanly or waits for more", async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const { child } = start();
      const data = Buffer.alloc(4000);
      for (let index = 0, state = seed * 2_654_435_761; index < data.length; index += 1) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        data[index] = state >>> 24;
      }
      // A plausible length in front, so that the parser gets further than the first check.
      data.writeUInt32BE(5 + (seed % 4) * 900, 0);
      data[4] = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15][seed % 6] ?? 0x10;
      child.stdin.end(data);
      expect([0, 65]).toContain(await child.ended);
    }
  });

  it("ends everything when its input ends, also in the middle of a frame", async () => {
    for (const [marker, rest] of [
      [endless(4177), []],
      [endless(4178), [0, 0, 1, 0, 16]],
    ] as const) {
      const { child, frames } = start();
      child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 1, payload: execPayload(`setsid ${marker} & echo; ${marker}`) }));
      await frameOf(frames, REPLY.output);
      child.stdin.end(Uint8Array.from(rest));
      expect(await child.ended).toBe(0);
      expect(isRunning(marker)).toBe(false);
    }
  });

  it("ends everything when no heartbeat comes", async () => {
    const { child, frames } = start(["--heartbeat-ms=2000"]);
    // Not waited for: a machine that stalls may end it before it has begun.
    child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 1, payload: execPayload(endless(4179), 60_000) }));
    // The command's own limit comes much later.
    await until("an end", () => child.exitCode !== null || frames.some(({ type }) => type === REPLY.exit));
    expect(child.exitCode).toBe(75);
    expect((await frameOf(frames, REPLY.fault)).payload[0]).toBe(2);
    expect(isRunning(endless(4179))).toBe(false);
  });

  it("ends when nobody can read its output any more", async () => {
    const { child, frames } = start();
    await frameOf(frames, REPLY.hello);
    child.stdout.destroy();
    child.stdin.write(encodeFrame({ type: REQUEST.ping, id: 1, payload: new Uint8Array(0) }));
    child.stdin.write(encodeFrame({ type: REQUEST.ping, id: 2, payload: new Uint8Array(0) }));
    expect(await child.ended).toBe(74);
  });

  it("keeps its time limit while the host does not read", async () => {
    const { child, frames } = start(["--heartbeat-ms=0"]);
    await frameOf(frames, REPLY.hello);
    child.stdout.pause();
    const workspace = makeWorkspace();
    const words = ["/bin/sh", "-c", `touch ${workspace.path}/begun; yes & ${endless(4180)}`];
    const payload = writeFields([
      u32(3000),
      u8(0),
      u32(1 << 30),
      u32(0),
      bytes("/"),
      u32(3),
      ...words.map((word) => bytes(word)),
      u32(1),
      bytes("PATH=/usr/bin:/bin"),
      bytes(""),
    ]);
    child.stdin.write(encodeFrame({ type: REQUEST.exec, id: 1, payload }));
    await until("the command begins", () => existsSync(`${workspace.path}/begun`));
    await until("the command is gone", () => !isRunning(endless(4180)));
    child.stdout.resume();
    expect((await frameOf(frames, REPLY.exit)).payload[1]).toBe(1);
    workspace.remove();
  });
});

describe("the client", () => {
  it("survives being frozen for longer than any heartbeat, when its silence is expected", async () => {
    const session = await openSession(["--heartbeat-ms=3000"]);
    const pid = readFileSync(`/proc/${session.child.pid}/task/${session.child.pid}/children`, "utf8").trim();
    const running = shell(session, "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done");
    session.client.expectSilence(true);
    process.kill(Number(pid), "SIGSTOP");
    await delay(4000);
    process.kill(Number(pid), "SIGCONT");
    session.client.expectSilence(false);
    expect(await running).toMatchObject({ kind: "ended", exitCode: 0, stdout: { text: "1\n2\n3\n4\n5\n6\n" } });
    expect(await shell(session, "echo on")).toMatchObject({ kind: "ended", stdout: { text: "on\n" } });
    await session.close();
  });

  it("keeps the session alive by its heartbeat, and leaves it to end by closing", async () => {
    const session = await openSession(["--heartbeat-ms=2000"]);
    await delay(5000);
    expect(await shell(session, "echo alive")).toMatchObject({ exitCode: 0 });
    session.client.close();
    session.client.close();
    expect(await session.child.ended).toBe(0);
    expect(await shell(session, "echo")).toMatchObject({ kind: "session-lost" });
    session.workspace.remove();
  });

  it("ends the call under way and all later ones when the supervisor dies, with what had arrived", async () => {
    const reasons: string[] = [];
    const session = await openSession([], { onLost: (reason) => reasons.push(reason) });
    const heard = Promise.withResolvers<void>();
    const request = {
      argv: ["/bin/sh", "-c", "echo partial; exec sleep 1000"],
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeoutMs: 120_000,
      outputBytes: 1000,
    };
    const running = session.client.exec(request, { onOutput: () => heard.resolve() });
    const queued = session.client.hash(["/etc/passwd"]);
    await heard.promise;
    execFileSync("pkill", ["-KILL", "-P", String(session.child.pid)]);
    expect(await running).toMatchObject({ kind: "session-lost", stdout: { text: "partial\n" } });
    expect(await queued).toMatchObject({ kind: "failed", code: "session-lost" });
    expect(reasons).toHaveLength(1);
    await session.close();
  });

  const connectTo = (data: readonly Uint8Array[], isEnded: boolean) => {
    const readable = new PassThrough();
    const connecting = connectSupervisor({ readable, writable: new PassThrough() }, { helloTimeoutMs: 300 });
    for (const portion of data) readable.write(portion);
    if (isEnded) readable.end();
    return connecting;
  };
  const hello = (version: number, features = 31) =>
    encodeFrame({ type: REPLY.hello, id: 0, payload: writeFields([u16(version), u32(features), u32(1), u32(1), u32(1000), u32(0)]) });

  it("refuses another version, missing features, silence, an early end and anything that is no hello", async () => {
    await expect(connectTo([hello(2)], false)).rejects.toThrow("version 2");
    await expect(connectTo([hello(1, 1)], false)).rejects.toThrow("features");
    await expect(connectTo([], false)).rejects.toThrow("in time");
    await expect(connectTo([], true)).rejects.toThrow("ended");
    await expect(connectTo([Buffer.from("#!/bin/sh\n")], false)).rejects.toThrow("malformed");
    await expect(connectTo([encodeFrame({ type: REPLY.pong, id: 0, payload: new Uint8Array(0) })], false)).rejects.toThrow("not hello");
  });

  const forged: readonly (readonly [string, Frame])[] = [
    ["a frame of no call", { type: REPLY.exit, id: 9, payload: new Uint8Array(32) }],
    ["an exit that is too short", { type: REPLY.exit, id: 1, payload: new Uint8Array(5) }],
    ["an exit of an unknown kind", { type: REPLY.exit, id: 1, payload: new Uint8Array(35).fill(9) }],
    ["output of an unknown stream", { type: REPLY.output, id: 1, payload: Uint8Array.of(9, 1) }],
    ["more output than was asked for", { type: REPLY.output, id: 1, payload: new Uint8Array(200).fill(1) }],
    ["a second hello", { type: REPLY.hello, id: 0, payload: new Uint8Array(22) }],
  ];
  it.each(forged)("loses the session on %s", async (_name, frame) => {
    const readable = new PassThrough();
    const writable = new PassThrough();
    readable.write(hello(1));
    const client = await connectSupervisor({ readable, writable });
    const reply = client.exec({ argv: ["true"], cwd: "/", env: {}, timeoutMs: 120_000, outputBytes: 100 });
    await once(writable, "data");
    readable.write(encodeFrame(frame));
    expect(await reply).toMatchObject({ kind: "session-lost", reason: expect.stringContaining("malformed") });
  });

  it("gives a session up when an answer stays away beyond the call's own limit", async () => {
    const readable = new PassThrough();
    readable.write(hello(1));
    const client = await connectSupervisor({ readable, writable: new PassThrough() }, { graceMs: 100 });
    expect(await client.read({ path: "/x", offset: 0, length: 1 }, { timeoutMs: 50 })).toMatchObject({ code: "session-lost" });
  });
});

describe("the protocol's description", () => {
  it("names every frame type with its number", () => {
    const file = new URL("../../../sandbox/PROTOCOL.md", import.meta.url);
    expect(existsSync(file)).toBe(true);
    const text = readFileSync(file, "utf8");
    for (const [name, type] of Object.entries({ ...REQUEST, ...REPLY })) expect(text).toContain(`| \`${type.toString(16).padStart(2, "0")}\` | ${name} |`);
  });
});
