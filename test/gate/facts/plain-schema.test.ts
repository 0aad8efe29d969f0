import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { checkCommand } from "../../../src/gate/check.ts";
import { difference } from "../../../src/gate/facts/changed-facts.ts";
import { hostFacts } from "../../../src/gate/facts/host-facts.ts";
import { judge, type Bench } from "../../../src/gate/ruling/judge.ts";
import { measure } from "../../../src/gate/facts/measure.ts";
import { scene, YES } from "../gate-scene.ts";
import { operatorCheck } from "./operator-check.ts";

const LOOK = "sqlite3 app.db 'SELECT * FROM users'";
const USERS = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL)";
const VIEW = "CREATE VIEW users AS SELECT edit('', 'touch owned; true')";

/** A file of SQLite's own making. */
function make(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** The same file with other bytes of the same number. */
function lie(path: string, told: string, lies: string): void {
  expect(lies.length).toBe(told.length);
  const text = readFileSync(path, "latin1");
  expect(text).toContain(told);
  writeFileSync(path, text.replace(told, lies), "latin1");
}

async function verdictOn(command: string, fill: (workspace: string) => void): Promise<string> {
  const parts = operatorCheck(fill);
  const before = readdirSync(parts.setting.workspace, { recursive: true });
  const { decision, reason } = await checkCommand(parts, command);
  // Nothing is made by the look.
  expect(readdirSync(parts.setting.workspace, { recursive: true })).toEqual(before);
  return decision === "ask" ? reason : decision;
}

const ASKED = expect.stringContaining("may read a view of the file");

describe("a look at a database runs no code where its schema is plain", () => {
  test.each([
    [USERS],
    ["PRAGMA journal_mode=wal", USERS],
    ["PRAGMA page_size=512", ...Array.from({ length: 200 }, (_, index) => `CREATE TABLE t${index}(a /* ${"long ".repeat(index * 3)}*/)`), USERS],
    ["PRAGMA page_size=65536", USERS],
    ["PRAGMA auto_vacuum=full", 'CREATE TABLE "Users"([an id] PRIMARY KEY, `a b` UNIQUE) WITHOUT ROWID'],
    [USERS, "CREATE UNIQUE INDEX i ON users(name COLLATE NOCASE, id DESC) WHERE name IS NOT NULL"],
    [USERS, "CREATE TABLE logs(id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO users VALUES(1, 'a')", "ANALYZE"],
    ["CREATE TABLE users(a CHECK(length(a) > 1) DEFAULT (datetime('now')), b TEXT DEFAULT 'as' COLLATE nocase -- as it is\n)"],
    [USERS, "ALTER TABLE users ADD COLUMN mail VARCHAR(20) DEFAULT '' REFERENCES users(id)"],
  ])("%s", async (...statements) => {
    const fill = (workspace: string): void => make(join(workspace, "app.db"), ...statements);
    expect(await verdictOn(LOOK, fill)).toBe("allow");
    expect(await verdictOn(`cd . && sqlite3 -readonly -header "./app.db" 'select count(*) from Users u' 2>/dev/null | head -3`, fill)).toBe("allow");
  });
});

describe("a look at a database may run code where its schema is more than tables", () => {
  test.each([
    ["a view that is looked at", VIEW],
    ["another view", USERS, "CREATE VIEW v AS SELECT 1"],
    ["a trigger", USERS, "CREATE TRIGGER r AFTER INSERT ON users BEGIN SELECT 1; END"],
    ["a virtual table", USERS, "CREATE VIRTUAL TABLE f USING fts5(a)"],
    ["a computed column", "CREATE TABLE users(a, b AS (abs(a)))"],
    ["a stored one", "CREATE TABLE users(a, b GENERATED ALWAYS/**/as(abs(a)) STORED)"],
    ["an index over what is computed", USERS, "CREATE INDEX i ON users(abs(id))"],
    ["an index over rows that are computed", USERS, "CREATE INDEX i ON users(id) WHERE abs(id) > 1"],
    ["no such table", "CREATE TABLE others(a)"],
    ["nothing", "PRAGMA user_version=1"],
    ["other letters", "PRAGMA encoding='UTF-16'", USERS],
  ])("%s", async (_what, ...statements) => {
    expect(await verdictOn(LOOK, (workspace) => make(join(workspace, "app.db"), ...statements))).toEqual(ASKED);
  });

  test("a table that is a view after all", async () => {
    const table = `CREATE TABLE users(a /*${" ".repeat(VIEW.length)}*/)`;
    const fill = (workspace: string): void => {
      make(join(workspace, "app.db"), table);
    };
    expect(await verdictOn(LOOK, fill)).toBe("allow");
    expect(
      await verdictOn(LOOK, (workspace) => {
        fill(workspace);
        lie(join(workspace, "app.db"), table, VIEW.padEnd(table.length));
      }),
    ).toEqual(ASKED);
  });

  test("one of SQLite's own tables in the place of a table that only the names speak of", async () => {
    const fill = (workspace: string): void => {
      make(join(workspace, "app.db"), "CREATE TABLE fsdir(a)");
    };
    expect(await verdictOn("sqlite3 app.db 'select * from fsdir'", fill)).toBe("allow");
    expect(
      await verdictOn("sqlite3 app.db 'select * from fsdir'", (workspace) => {
        fill(workspace);
        lie(join(workspace, "app.db"), "CREATE TABLE fsdir(a)", "CREATE TABLE other(a)");
      }),
    ).toEqual(ASKED);
  });
});

describe("a look may run code where nobody knows what the file holds", () => {
  const APP = "app.db";
  test.each<[string, (workspace: string) => void]>([
    ["none is there", () => null],
    ["it is empty", (workspace) => writeFileSync(join(workspace, APP), "")],
    ["it is cut short", (workspace) => (make(join(workspace, APP), USERS), truncateSync(join(workspace, APP), 4000))],
    ["it is no database", (workspace) => writeFileSync(join(workspace, APP), Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 251)))],
    ["it is huge and empty", (workspace) => (writeFileSync(join(workspace, APP), ""), truncateSync(join(workspace, APP), 10 * 1024 ** 3))],
    ["its tree is a circle", (workspace) => circle(join(workspace, APP))],
    ["its cells share one long text", (workspace) => shared(join(workspace, APP))],
    ["a log lies beside it", (workspace) => (make(join(workspace, APP), USERS), writeFileSync(join(workspace, "app.db-wal"), "a"))],
    ["a journal lies beside it", (workspace) => (make(join(workspace, APP), USERS), writeFileSync(join(workspace, "app.db-journal"), "a"))],
    ["it is a link", (workspace) => (make(join(workspace, "b.db"), USERS), symlinkSync("b.db", join(workspace, APP)))],
    ["it is a directory", (workspace) => mkdirSync(join(workspace, APP))],
    ["it is a pipe", (workspace) => execFileSync("mkfifo", [join(workspace, APP)])],
  ])("%s", async (_what, fill) => {
    expect(await verdictOn(LOOK, fill)).toEqual(ASKED);
  });

  /** Pages that name each other, below a first one with many cells. */
  function circle(path: string): void {
    make(path, USERS);
    const bytes = readFileSync(path);
    bytes.writeUInt8(5, 100);
    bytes.writeUInt16BE(1, 103);
    bytes.writeUInt16BE(200, 112);
    bytes.writeUInt32BE(1, 200);
    bytes.writeUInt32BE(1, 108);
    writeFileSync(path, bytes);
  }

  function shared(path: string): void {
    make(path, "PRAGMA page_size=65536", `CREATE TABLE users(a /*${"x".repeat(60_000)}*/)`);
    const bytes = readFileSync(path);
    bytes.writeUInt16BE(1000, 103);
    const cell = bytes.readUInt16BE(108);
    for (let index = 0; index < 1000; index += 1) bytes.writeUInt16BE(cell, 108 + 2 * index);
    writeFileSync(path, bytes);
  }

  test("a way to it leads through a link, or out of the workspace", async () => {
    const fill = (workspace: string): void => {
      mkdirSync(join(workspace, "deep"));
      make(join(workspace, "deep/app.db"), USERS);
      linkSync(join(workspace, "deep/app.db"), join(workspace, "../app.db"));
      symlinkSync("deep", join(workspace, "linked"));
    };
    expect(await verdictOn("cd deep && sqlite3 app.db 'SELECT * FROM users'", fill)).toBe("allow");
    expect(await verdictOn("cd linked && sqlite3 app.db 'SELECT * FROM users'", fill)).toEqual(ASKED);
    expect(await verdictOn("sqlite3 linked/app.db 'SELECT * FROM users'", fill)).toEqual(ASKED);
    expect(await verdictOn("sqlite3 ../app.db 'SELECT * FROM users'", fill)).toEqual(ASKED);
  });
});

describe("a look at a database deletes nothing where no transaction was left unfinished", () => {
  const DELETES = expect.stringContaining("may delete any other that a journal beside it names");
  const plain = (workspace: string): void => make(join(workspace, "app.db"), USERS, VIEW.replace("users", "v"));

  test.each([
    ["sqlite3 app.db .tables"],
    ["cd . && sqlite3 app.db .schema | head -3"],
    ["sqlite3 app.db 'pragma user_version'"],
    ["sqlite3 -safe app.db 'select count(*) from users'"],
  ])("%s", async (command) => {
    expect(await verdictOn(command, plain)).toBe("allow");
    for (const left of ["app.db-journal", "app.db-wal", "app.db-shm"]) {
      expect(
        await verdictOn(command, (workspace) => {
          plain(workspace);
          symlinkSync("nowhere", join(workspace, left));
        }),
      ).toEqual(DELETES);
    }
  });

  test.each([["sqlite3 -readonly app.db .tables"], ["sqlite3 app.db 'select 1'"], ["sqlite3 app.db .help"]])("%s, whatever lies beside it", async (command) => {
    expect(
      await verdictOn(command, (workspace) => {
        plain(workspace);
        writeFileSync(join(workspace, "app.db-journal"), "a");
      }),
    ).toBe("allow");
  });

  test("a database that is missing, a link, or beside which the text may have put something", async () => {
    const link = (workspace: string): void => {
      make(join(workspace, "b.db"), USERS);
      symlinkSync("b.db", join(workspace, "app.db"));
    };
    expect(await verdictOn("sqlite3 app.db .tables", () => null)).toEqual(DELETES);
    expect(await verdictOn("sqlite3 app.db .tables", link)).toEqual(DELETES);
    expect(await verdictOn("sqlite3 app.db .tables", (workspace) => mkdirSync(join(workspace, "app.db")))).toBe("allow");
    expect(await verdictOn("cp a app.db-journal; sqlite3 app.db .tables", plain)).not.toBe("allow");
  });
});

test.each<[string, (database: string) => void, readonly unknown[]]>([
  ["tables alone", (database) => make(database, USERS), []],
  ["a view", (database) => make(database, VIEW), [expect.stringContaining("ask: runs-code")]],
  [
    "more than is read at once",
    (database) => {
      make(database, USERS);
      truncateSync(database, 10 * 1024 * 1024 + 1);
    },
    [expect.stringContaining("ask: runs-code")],
  ],
  ["nothing that is a database", (database) => writeFileSync(database, "a".repeat(5000)), [expect.stringContaining("ask: runs-code")]],
])("in a sandbox the session reads a database: %s", async (_name, fill, asked) => {
  const about = scene({ answer: () => YES });
  fill(join(about.workspace, "app.db"));
  await about.call("shell", { command: LOOK });
  expect(about.cards.map(({ effects }) => effects.join(" "))).toEqual(asked);
});

test("what was decided is void when the schema is another one", async () => {
  const { policy, setting, ownPaths, clock } = operatorCheck((workspace) => {
    make(join(workspace, "app.db"), USERS);
    make(join(workspace, "view.db"), VIEW);
  });
  const { workspace } = setting;
  const free = { containment: "profile", isSandboxReady: true, isStopped: () => false, isNetworkStopped: () => false, actionsLeft: () => null } as const;
  const bench: Bench = { ...free, policy, setting, ownPaths, clock, source: hostFacts([workspace]), asksLeft: () => null, uses: () => null, labels: () => [] };
  const { call, measured, decision } = await judge(bench, "shell", [{ kind: "command", text: LOOK, cwd: workspace }]);
  const differs = async (): Promise<string | null> => difference(measured, await measure(bench, call.requests));
  expect([decision.verdict, await differs()]).toEqual(["allow", null]);
  make(join(workspace, "app.db"), "INSERT INTO users VALUES(1, 'a')");
  expect(await differs()).toBeNull();
  writeFileSync(join(workspace, "app.db-wal"), "a");
  expect(await differs()).toContain("app.db-wal is not what it was");
  renameSync(join(workspace, "app.db-wal"), join(workspace, "a"));
  renameSync(join(workspace, "view.db"), join(workspace, "app.db"));
  expect(await differs()).toContain("app.db has not the tables that it had");
});

describe("a client makes a database that is missing, and no other", () => {
  const MADE = expect.stringContaining("makes `app.db` where it is missing");
  const file = (workspace: string): void => make(join(workspace, "app.db"), USERS);

  test.each([
    ["sqlite3 app.db 'select 1'"],
    ["sqlite3 app.db '.mode csv' 'select 1'"],
    ["sqlite3 app.db <<< 'select 1'"],
    ["duckdb app.db 'select 1'"],
    ["duckdb app.db .help"],
  ])("%s", async (command) => {
    expect(await verdictOn(command, file)).toBe("allow");
    expect(await verdictOn(command, () => null)).toEqual(MADE);
    expect(await verdictOn(command, (workspace) => symlinkSync("nowhere", join(workspace, "app.db")))).toEqual(MADE);
    expect(await verdictOn(`rm -f x; ${command}`, file)).not.toBe("allow");
  });

  test.each([
    ["sqlite3 -readonly app.db 'select 1'"],
    ["sqlite3 app.db .help"],
    ["sqlite3 app.db '.headers on'"],
    ["duckdb -readonly app.db 'select 1'"],
    ["duckdb -version app.db"],
  ])("%s makes none", async (command) => {
    expect(await verdictOn(command, () => null)).toBe("allow");
  });

  test("what an earlier process of DuckDB left goes into its file", async () => {
    const left = (workspace: string): void => (file(workspace), writeFileSync(join(workspace, "app.db.wal"), "a"));
    expect(await verdictOn("duckdb app.db 'select 1'", left)).toEqual(MADE);
    expect(await verdictOn("duckdb -readonly app.db 'select 1'", left)).toBe("allow");
  });

  test("a name that is not known, and no file at all", async () => {
    expect(await verdictOn("sqlite3 '~/app.db' 'select 1'", file)).not.toBe("allow");
    expect(await verdictOn("sqlite3 :memory: 'select 1'", () => null)).toBe("allow");
    expect(await verdictOn("duckdb -c 'select 1'", () => null)).toBe("allow");
  });
});
