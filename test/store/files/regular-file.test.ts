import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sendTo } from "../../../src/app/records/sink.ts";
import { checkCode, enroll } from "../../../src/approvals/one-time-code.ts";
import { tokenOfMessage } from "../../../src/approvals/http-answers/token.ts";
import { keepCheckpoint, ownCheckpoints } from "../../../src/audit/checkpoints/anchor.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { judgeCheckpoints } from "../../../src/audit/checkpoints/checkpoint.ts";
import { readPriceFile } from "../../../src/config/prices.ts";
import { readImages, writeImages } from "../../../src/config/state/images.ts";
import { readScriptFile } from "../../../src/config/script-file.ts";
import { isStopped, setStopSwitch } from "../../../src/gate/stop-switch.ts";
import { openStore } from "../../../src/store/store.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";

/** A state in which everything was used once, with nobody at work in it. */
function usedState(): string {
  const directory = join(temporaryDirectory(), "state");
  const store = openStore(directory);
  const log = { store, clock: movableClock() };
  appendAudit(log, { run: null, payload: { kind: "run-end", ending: "done" } });
  keepCheckpoint(log, null, null);
  enroll(log, "ann");
  tokenOfMessage(log, "message-1");
  writeImages(directory, []);
  store.close();
  return directory;
}

/** Uses everything once more. */
function use(directory: string): void {
  const store = openStore(directory);
  onTestFinished(() => {
    store.close();
  });
  const log = { store, clock: movableClock() };
  appendAudit(log, { run: null, payload: { kind: "run-end", ending: "done" } });
  keepCheckpoint(log, null, null);
  checkCode(log, { person: "ann", code: "000000" });
  tokenOfMessage(log, "message-2");
  readImages(directory);
  readPriceFile(directory);
}

const FILES = [
  "warder.db",
  "warder.db-wal",
  "warder.db-shm",
  "warder.db-journal",
  "keys/audit.key",
  "keys/audit.head",
  "keys/checkpoint.key",
  "keys/answers.key",
  "keys/approver-ann.secret",
  "checkpoints.jsonl",
] as const;

/** A FIFO that somebody holds open and writes to: who opens it all the same reads something, and waits for nothing. */
function putFifo(path: string): void {
  execFileSync("mkfifo", ["-m", "600", path]);
  const held = openSync(path, constants.O_RDWR);
  onTestFinished(() => {
    closeSync(held);
  });
  writeSync(held, "something");
}

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  "a FIFO": putFifo,
  "a directory": (path) => mkdirSync(path),
  "a link to itself as it was": (path) => {
    const aside = join(dirname(path), "..", `${basename(path)}.aside`);
    if (existsSync(`${path}.was`)) renameSync(`${path}.was`, aside);
    else writeFileSync(aside, "", { mode: 0o600 });
    symlinkSync(aside, path);
  },
};

describe("in the place of a state file", () => {
  const cases = FILES.flatMap((file) => Object.keys(KINDS).map((kind) => ({ file, kind })));
  test.each(cases)("$file, $kind is refused, and not waited for", ({ file, kind }) => {
    const directory = usedState();
    const path = join(directory, file);
    if (existsSync(path)) renameSync(path, `${path}.was`);
    KINDS[kind]?.(path);
    expect(() => {
      use(directory);
    }).toThrow(expect.objectContaining({ name: "AgentError", message: expect.stringContaining(`${path} is no regular file`) }));
  });

  test.each(["images.json", "prices.yaml"])("%s, a FIFO is refused, and not waited for", (file) => {
    const directory = usedState();
    rmSync(join(directory, file), { force: true });
    putFifo(join(directory, file));
    expect(() => {
      use(directory);
    }).toThrow(expect.objectContaining({ code: "bad-configuration" }));
  });

  test("a model's script, a FIFO is refused, and not waited for", async () => {
    const path = join(temporaryDirectory(), "script.yaml");
    putFifo(path);
    await expect(readScriptFile(path)).rejects.toMatchObject({ code: "bad-configuration", message: expect.stringContaining("no regular file") as string });
  });

  test("the stop file, whatever stands there stops, and stops again", () => {
    const store = temporaryStore();
    execFileSync("mkfifo", [join(store.paths.directory, "stopped")]);
    expect(isStopped(store)).toBe(true);
    setStopSwitch({ store, clock: movableClock() }, "stopped", "test");
    expect(isStopped(store)).toBe(true);
  });

  test("a draft that was planted is neither followed nor written to", () => {
    const directory = usedState();
    const elsewhere = join(directory, "..", "elsewhere");
    writeFileSync(elsewhere, "mine");
    symlinkSync(elsewhere, join(directory, `images.json.${process.pid}.new`));
    writeImages(directory, []);
    expect(readImages(directory)).toEqual([]);
    expect(execFileSync("cat", [elsewhere], { encoding: "utf8" })).toBe("mine");
  });
});

test("a sink that is a FIFO takes nothing, and holds up nobody", () => {
  const path = join(temporaryDirectory(), "news");
  execFileSync("mkfifo", [path]);
  expect(() => {
    sendTo({ kind: "file", path }, {});
  }).toThrow(expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining("no regular file") }));
});

describe("without its keys the log says what to do", () => {
  const log = (directory: string) => ({ store: temporaryStore(directory), clock: movableClock() });
  const ADVICE = "Put it back from a copy of the state directory; or move the state directory aside, and keep it, to start anew.";

  test.each([
    ["gone", (path: string) => rmSync(path)],
    ["too short", (path: string) => writeFileSync(path, "x", { mode: 0o600 })],
    ["too long", (path: string) => writeFileSync(path, "x".repeat(33), { mode: 0o600 })],
  ])("the audit key is %s", (_what, damage) => {
    const directory = usedState();
    damage(join(directory, "keys", "audit.key"));
    const here = log(directory);
    expect(() => appendAudit(here, { run: null, payload: { kind: "run-end", ending: "done" } })).toThrow(
      expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining(ADVICE) }),
    );
    let told: string;
    try {
      told = verifyAudit(here)
        .problems.map(({ what }) => what)
        .join("\n");
    } catch (error) {
      told = String(error);
    }
    expect(told).toContain(ADVICE);
  });

  test("the key of the checkpoints is gone, and no new one is made to check them with", () => {
    const directory = usedState();
    rmSync(join(directory, "keys", "checkpoint.key"));
    const here = log(directory);
    expect(judgeCheckpoints(here, ownCheckpoints(here)).problems).toEqual([{ seq: 0, what: expect.stringContaining("is gone. Put it back from a copy") }]);
    expect(existsSync(join(directory, "keys", "checkpoint.key"))).toBe(false);
  });

  test.each([
    ["damaged", (path: string) => writeFileSync(path, "no key", { mode: 0o600 })],
    ["one of another kind", (path: string) => writeFileSync(path, execFileSync("openssl", ["ecparam", "-genkey", "-noout", "-name", "prime256v1"]))],
  ])("the key of the checkpoints is %s", (_what, damage) => {
    const directory = usedState();
    damage(join(directory, "keys", "checkpoint.key"));
    expect(() => keepCheckpoint(log(directory), null, null)).toThrow(
      expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining("is damaged. Put it back from a copy") }),
    );
  });
});
