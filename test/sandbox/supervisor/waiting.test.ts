import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { onWait } from "../../../src/store/lock/waiting.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { openSession, shell } from "./process.ts";

/** Lets this process wait for its store, doing nothing else, until it was told `times` times that it waits. */
function waitForStore(times: number): void {
  const store = temporaryStore();
  const database = new Database(store.paths.database);
  onTestFinished(() => void database.close());
  database.exec("BEGIN IMMEDIATE");
  let told = 0;
  const end = onWait(() => {
    told += 1;
    if (told === times) database.exec("COMMIT");
  });
  store.exclusively(() => undefined);
  end();
}

test("a session outlives a wait for the store that is longer than its heartbeat", async () => {
  const session = await openSession(["--heartbeat-ms=4000"]);
  waitForStore(8);
  expect(await shell(session, "echo on")).toMatchObject({ kind: "ended", stdout: { text: "on\n" } });
  await session.close();
});

test("an answer that came in time is not too late because this process waited", async () => {
  const session = await openSession(["--heartbeat-ms=0"], { graceMs: 200 });
  const answer = shell(session, "echo in time", { timeoutMs: 1500 });
  // The request is sent after some promises, and nothing is read before the wait.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  waitForStore(4);
  expect((await answer).kind).toBe("ended");
  await session.close();
});
