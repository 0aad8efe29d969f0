import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { keySourceOf, readKeys, type KeyPlaces } from "../../../src/app/models/keys.ts";
import type { KeySource } from "../../../src/config/model-settings.ts";
import { NO_MODELS } from "../../../src/config/settings-file.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const KEY = "sk-from-elsewhere-1234567890";
function place() {
  const root = temporaryDirectory();
  const [workspace, outside] = [join(root, "workspace"), join(root, "outside")];
  for (const path of [workspace, outside]) mkdirSync(path);
  const program = (path: string, text: string): string => {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o700);
    return path;
  };
  const places = (source: KeySource, environment: Record<string, string> = {}): KeyPlaces => ({
    settings: { ...NO_MODELS, keys: new Map([["anthropic", source]]) },
    environment: { PATH: `${workspace}:/usr/bin:/bin`, ...environment },
    writable: [workspace],
  });
  const command = (...argv: readonly [string, ...string[]]): KeySource => ({ kind: "command", argv });
  return { workspace, outside, program, places, command, read: (source: KeySource) => () => readKeys(["anthropic"], places(source)) };
}

describe("a key", () => {
  test("that a program prints is used, and known to what takes secrets out", () => {
    const { outside, program, command, read } = place();
    const { environment, secrets } = read(command(program(join(outside, "key"), `echo ${KEY}; echo "with $1" >&2`), "anthropic"))();
    expect(environment["ANTHROPIC_API_KEY"]).toBe(KEY);
    expect([...secrets]).toEqual([["key of anthropic", KEY]]);
  });

  test("of its variable comes first, and no program is started for it", () => {
    const { outside, program, places, command } = place();
    const asked = places(command(program(join(outside, "key"), "exit 1")), { ANTHROPIC_API_KEY: "sk-variable-1234" });
    expect(keySourceOf("anthropic", asked)).toEqual({ kind: "variable", name: "ANTHROPIC_API_KEY" });
    expect(readKeys(["anthropic"], asked)).toMatchObject({ environment: { ANTHROPIC_API_KEY: "sk-variable-1234" }, secrets: new Map() });
  });

  test("of a provider that no model needs is not read", () => {
    const { outside, program, places, command } = place();
    expect(readKeys(["ollama", "scripted"], places(command(program(join(outside, "key"), "exit 1")))).secrets.size).toBe(0);
  });

  test("comes from a file that only its owner reads, or from another variable", () => {
    const { outside, places, read } = place();
    const path = join(outside, "key.txt");
    writeFileSync(path, `${KEY}\n`, { mode: 0o600 });
    expect(read({ kind: "file", path })().environment["ANTHROPIC_API_KEY"]).toBe(KEY);
    chmodSync(path, 0o644);
    expect(read({ kind: "file", path })).toThrow("may be read or changed by others");
    expect(readKeys(["anthropic"], places({ kind: "variable", name: "WORK_KEY" }, { WORK_KEY: KEY })).environment["ANTHROPIC_API_KEY"]).toBe(KEY);
  });
});

describe("a program that prints a key", () => {
  test("lies nowhere that an agent may write, by no name and no word", () => {
    const { workspace, outside, program, command, read } = place();
    const inside = program(join(workspace, "key"), `echo ${KEY}`);
    symlinkSync(inside, join(outside, "link"));
    const own = program(join(outside, "key"), `echo ${KEY}`);
    for (const argv of [[inside], [join(outside, "link")], [own, inside], [own, `--file=${inside}`]] as const)
      expect(read(command(...(argv as [string])))).toThrow("where an agent may write");
  });

  test.each([
    ["/bin/sh", "-c", "echo sk-1234567890"],
    ["/usr/bin/env", "cat", "/etc/hostname"],
    ["/usr/bin/python3", "-c", "print(1)"],
  ])("is no program that runs its words: %s", (...argv) => {
    const { command, read } = place();
    expect(read(command(...(argv as unknown as [string])))).toThrow("could run another text than its own");
  });

  test("finds no program of the agent's by its PATH", () => {
    const { workspace, outside, program, command, read } = place();
    program(join(workspace, "print-key"), "echo sk-stolen-1234567890");
    expect(read(command(program(join(outside, "key"), "print-key")))).toThrow("exit code 127");
  });

  test.each([
    ["fails", "echo sk-secret-0987654321; exit 3", "exit code 3"],
    ["prints nothing", "true", "holds 0 characters"],
    ["prints more than a key", "head -c 100000 /dev/zero", "more than a key"],
    ["prints several lines", "echo sk-secret-0987654321; echo b", "more than visible ASCII"],
  ])("that %s is no key, and what it printed is not told", (_what, text, words) => {
    const { outside, program, command, read } = place();
    const reading = read(command(program(join(outside, "key"), text)));
    expect(reading).toThrow(words);
    expect(reading).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.not.stringContaining("sk-secret") as string }) as Error);
  });

  test("that hangs is left after its time, with what it started", { timeout: 60_000 }, () => {
    const { outside, program, command, read } = place();
    expect(read(command(program(join(outside, "key"), "sleep 300 & sleep 300")))).toThrow("printed nothing in 10 seconds");
  });
});

/** Puts a key into the keyring behind a bus, as a person does with another program. */
const KEEP =
  'const { Entry } = require("@napi-rs/keyring"); const [service, account, value] = process.argv.slice(1); new Entry(service, account, { linux: { store: "secret-service" } }).setPassword(value);';
const hasKeyring = ["dbus-daemon", "gnome-keyring-daemon"].every((program) => spawnSync(program, ["--version"]).status === 0);

describe("the system's keyring", () => {
  const entry = { kind: "keyring", service: "warder-test", account: "anthropic" } as const;

  test("that nobody answers for is said with what to do", () => {
    const { places } = place();
    const asked = (): unknown => readKeys(["anthropic"], places(entry, { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent/bus" }));
    expect(asked).toThrow(/^The key of anthropic cannot be used: the keyring of this system does not answer \(.*\)\. It needs a desktop session/u);
    expect(asked).toThrow(expect.objectContaining({ code: "bad-configuration" }));
  });

  test("is shown by service and account", () => {
    const { places } = place();
    expect(keySourceOf("anthropic", places(entry))).toEqual(entry);
  });

  test.runIf(hasKeyring)("gives the key of its entry to the model and to what takes secrets out, and says which entry is missing", () => {
    const { outside, places } = place();
    const bus = spawnSync("dbus-daemon", ["--session", "--fork", "--print-address=1", "--print-pid=1", `--address=unix:path=${join(outside, "bus")}`], {
      encoding: "utf8",
    });
    const [address = "", pid = ""] = bus.stdout.trim().split("\n");
    onTestFinished(() => void process.kill(Number(pid)));
    const environment = { DBUS_SESSION_BUS_ADDRESS: address, HOME: outside, XDG_RUNTIME_DIR: outside, XDG_DATA_HOME: outside };
    const env = { PATH: process.env["PATH"], ...environment };
    // It ends with its bus.
    const unlocked = spawnSync("gnome-keyring-daemon", ["--daemonize", "--unlock", "--components=secrets"], { env, input: "password", encoding: "utf8" });
    expect(unlocked.status, unlocked.stderr).toBe(0);
    const kept = spawnSync(process.execPath, ["-e", KEEP, entry.service, entry.account, KEY], { cwd: import.meta.dirname, env, encoding: "utf8" });
    expect(kept.status, kept.stderr).toBe(0);
    const { environment: found, secrets } = readKeys(["anthropic"], places(entry, environment));
    expect(found["ANTHROPIC_API_KEY"]).toBe(KEY);
    expect([...secrets]).toEqual([["key of anthropic", KEY]]);
    const missing = (): unknown => readKeys(["anthropic"], places({ ...entry, account: "nobody" }, environment));
    expect(missing).toThrow("has no entry of service warder-test and account nobody. Put it in. On Linux: secret-tool store");
  });
});
