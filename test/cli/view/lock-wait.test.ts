import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { place } from "../../support/test-place.ts";
import { startWarder } from "../../support/warder-cli.ts";
import { once } from "../../support/until.ts";

test("a command that waits for others says for what, and goes on when it is its turn", async () => {
  const here = place();
  const store = openStore(here.state);
  store.close();
  const database = new Database(store.paths.database);
  onTestFinished(() => void database.close());
  database.exec("BEGIN IMMEDIATE");
  const child = startWarder(here, ["stop"]);
  child.stdin?.end();
  child.stdout?.resume();
  const ended = once(child, "close");
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (database.inTransaction) database.exec("COMMIT");
  });
  expect((await ended)[0]).toBe(0);
  expect(said).toMatch(/has waited \d+ s to write to \S+warder\.db: another process keeps it locked/u);
});
