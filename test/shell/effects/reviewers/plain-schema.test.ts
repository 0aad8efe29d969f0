import { expect, test } from "vitest";
import { analyseCommand } from "../../../../src/shell/analyse.ts";

/** The tables that each statement is tied to; "always": none, so that it may run code whatever the file holds. */
function tied(command: string): readonly string[] {
  const { effects } = analyseCommand(command, { cwd: "/w", home: "/h" });
  return effects
    .filter(({ kind }) => kind === "runs-code")
    .map(({ through }) => (through?.kind === "plain-schema" ? [through.database, ...through.tables].join(" ") : "always"));
}

test.each([
  ["select * from users", "users"],
  ['SELECT u.id, "a" FROM Users AS u, "Mails" m LEFT JOIN `c` USING (id, x) WHERE u.a IN (1, 2) ORDER BY a, b', "users mails c"],
  ["select 1 from a where x in b or y not in (select z from (c), (d join e on max(g, h) = i, k))", "a b c d e k"],
  ["select (select max(a) from b), c from d group by e, f having g > (h) union select i, j from k limit 1, 2", "b d k"],
  ["select value from users, json_each(users.tags), t", "users t"],
  // Where SQLite's own tables are named by a quoted text, or behind what only looks like the end of the list.
  ["select * from users, 'fsdir'", "users fsdir"],
  ["select * from users window, fsdir", "users fsdir"],
  ["select * from users, sqlite_master, sqlite_dbpage", "users sqlite_dbpage"],
])("`%s` is tied to %s", (statement, tables) => {
  const quoted = `"${statement.replaceAll(/["`]/g, String.raw`\$&`)}"`;
  expect(tied(`sqlite3 -header app.db ${quoted}`)).toEqual([`/w/app.db ${tables}`]);
});

test.each([
  "sqlite3 app.db 'with fsdir as (select 1) select * from fsdir'",
  "sqlite3 app.db 'select * from main.users'",
  "sqlite3 app.db 'select * from temp.fsdir'",
  "sqlite3 app.db 'select * from users\u00a0where, fsdir'",
  "sqlite3 app.db 'values ((select a from users))'",
  "sqlite3 -cmd 'select * from users' app.db .tables",
  "sqlite3 -cmd .tables app.db 'select * from users'",
  "sqlite3 file:app.db 'select * from users'",
  "sqlite3 :memory: 'select * from users'",
  "sqlite3 '' 'select * from users'",
  "sqlite3 '~/app.db' 'select * from users'",
  "sqlite3 a/../app.db 'select * from users'",
  "sqlite3 *.db 'select * from users'",
  'cd "$x"; sqlite3 app.db "select * from users"',
  "A=b sqlite3 app.db 'select * from users'",
  "cp evil.db app.db; sqlite3 app.db 'select * from users'",
  "sqlite3 -init a app.db 'select * from users'",
  "sqlite3 app.db 'select * from users' '.shell id'",
  "sqlite3 app.db 'select edit(1) from users'",
])("`%s` is tied to nothing", (command) => {
  expect(new Set(tied(command))).toEqual(new Set(["always"]));
});

test.each(["sqlite3 -safe app.db 'select * from users'", "sqlite3 app.db .tables", "sqlite3 app.db 'select 1'"])("`%s` runs no code", (command) => {
  expect(tied(command)).toEqual([]);
});
