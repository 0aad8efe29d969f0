import { newEffect } from "../../model/effects.ts";
import type { PathOperand, Word } from "../../model/model.ts";
import { makesFile, opensFile, readSql, readsNamedTables } from "../languages/sql.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { databaseOf, throughLeftOvers, throughSchema } from "./plain-schema.ts";
import { besideDatabase } from "../operands/file-names.ts";
import { literalValue, showWord } from "../../model/words.ts";

/** Without a statement a database client runs what it reads from standard input. If nothing feeds it, it opens the file and ends, which may create the file. */
export function reviewDatabase(to: Collector, parsed: ParsedArguments): void {
  const { options } = parsed;
  reviewAccounts(to, parsed);
  if (isGiven(parsed) || options.some((option) => option.spec.isListing)) return;
  const { stdin } = to.simple;
  if (stdin.kind === "inherited" && stdin.isEmpty === true && options.some((option) => option.name === "-readonly")) return;
  const fed = fedStatements(to);
  if (fed === null) addEffect(to, "unknown", to.simple.span, `\`${to.program}\` runs the statements that stand on standard input`);
  else for (const statement of fed) readSql(to, statement);
}

/** Whether a statement stands among the words, so that standard input is not read. */
function isGiven({ node, operands, options }: ParsedArguments): boolean {
  const place = node.operands.findIndex(({ role }) => role === "sql");
  return (
    (place >= 0 && operands.length > place) ||
    options.some(({ spec }) => spec.value.kind === "role" && spec.value.role === "sql" && !spec.names.some((name) => BEFOREHAND.has(name)))
  );
}

/** Options whose statements run before those that stand on standard input. */
const BEFOREHAND = new Set(["-cmd", "--init-command"]);
const FED = new Set(["psql", "mysql", "mariadb", "sqlite3", "duckdb"]);

/**
 * What stands on standard input, where the text itself is known: first lines that are commands of SQLite's or DuckDB's shell, one by one, then the statements.
 * A later line that begins with a dot is no part of a statement that a line of `go` ends. Null: it is not known.
 */
function fedStatements({ program, simple: { stdin } }: Collector): readonly Word[] | null {
  if (!FED.has(program) || stdin.kind !== "text" || stdin.text.kind !== "literal") return null;
  const { text } = stdin;
  const lines = text.value.split("\n").filter((line) => line.trim() !== "");
  const first = lines.findIndex((line) => !line.startsWith("."));
  const commands = first < 0 ? lines : lines.slice(0, first);
  const rest = first < 0 ? [] : lines.slice(first);
  if (rest.some((line) => /^\s*\./.test(line))) return null;
  return [...commands, ...(rest.length === 0 ? [] : [rest.join("\n")])].map((value) => ({ ...text, value }));
}

const MYSQL = /^(?:mysql|mariadb)$/;
const ACCOUNTS = /\b(?:user|global_priv|servers|slave_master_info|password_history)\b/i;

/** Of MySQL's own database a table's plain name is that of its accounts: the database is named beside the statement, or may be, when it is not known. */
function reviewAccounts(to: Collector, parsed: ParsedArguments): void {
  if (!MYSQL.test(to.program)) return;
  const { operands, options } = parsed;
  const databases = [...operands.slice(0, 1), ...options.flatMap(({ spec, value }) => (value !== null && spec.names.includes("-D") ? [value] : []))];
  if (databases.every((word) => word.kind === "literal" && word.value.toLowerCase() !== "mysql")) return;
  const given = options.flatMap(({ spec, value }) => (value !== null && spec.value.kind === "role" && spec.value.role === "sql" ? [value] : []));
  for (const word of isGiven(parsed) ? given : (fedStatements(to) ?? []))
    if (word.kind === "literal" && ACCOUNTS.test(word.value))
      addEffect(to, "secrets", word.span, `the statement ${showWord(word)} reads what the database keeps of passwords`);
}

/**
 * Without `-safe` SQLite's shell runs the command that a view of the file names, if there is one. Without `-readonly` it first rolls back what an unfinished
 * transaction left in a journal beside the file, and deletes the file that the journal names as that of a transaction over several databases.
 */
export function reviewSqlite(to: Collector, parsed: ParsedArguments): void {
  reviewDatabase(to, parsed);
  for (const word of statementsOverViews(to, parsed)) {
    const cause = `${showWord(word)} may read a view of the file, which may call edit() with a command`;
    to.effects.push({ ...newEffect("runs-code", cause, word.span), ...throughSchema(to, parsed, word) });
  }
  const statements = statementsOf(to, parsed);
  for (const word of statements.filter((each) => isSafe(parsed) && OWN_READERS.test(literalValue(each) ?? "")))
    addEffect(to, "unknown", word.span, `${showWord(word)} may read any file, or compute what the file's checks say`);
  if (isReadOnly(parsed)) return;
  const opening = statements.find(opensFile);
  const making = opening ?? statements.find(makesFile);
  if (making !== undefined) addMade(to, parsed, { by: making, beside: opening === undefined ? () => [] : besideDatabase });
  if (opening !== undefined) {
    const cause = `${showWord(opening)} opens the file, and may delete any other that a journal beside it names; \`-readonly\` prevents it`;
    to.effects.push({ ...newEffect("deletes", cause, opening.span, { kind: "dynamic", prefix: "" }), ...throughLeftOvers(to, parsed, besideDatabase) });
  }
}

/** Tables of SQLite's own that reach beyond what a file holds, also with `-safe`; without it they are no tables of the file. */
const OWN_READERS = /\b(?:fsdir|zipfile|sqlar|pragma_(?:integrity|quick)_check)\b/i;

/** What `-cmd` gives is run as it is met: a `-safe` behind it comes too late. */
function isSafe({ options }: ParsedArguments): boolean {
  const place = options.findIndex(({ name }) => name === "-safe");
  return place >= 0 && !options.slice(0, place).some(({ spec }) => spec.value.kind === "role" && spec.value.role === "sql");
}

function isReadOnly({ options }: ParsedArguments): boolean {
  return options.some(({ name }) => name === "-readonly");
}

/** A file that is missing is made, and what lies beside it of an earlier process goes into it. */
function addMade(
  to: Collector,
  parsed: ParsedArguments,
  { by, beside }: { readonly by: Word; readonly beside: (database: string) => readonly string[] },
): void {
  const [operand] = parsed.operands;
  if (operand === undefined || NO_FILE.has(literalValue(operand) ?? "?")) return;
  const database = databaseOf(to, parsed);
  const path: PathOperand = database === null ? { kind: "dynamic", prefix: "" } : { kind: "literal", path: database };
  const cause = `\`${to.program}\` makes ${showWord(operand)} where it is missing; \`-readonly\` prevents it`;
  to.effects.push({ ...newEffect("writes", cause, by.span, path), ...throughLeftOvers(to, parsed, beside) });
}

const NO_FILE = new Set(["", ":memory:"]);

/** Without `-safe` a view of the file may read any other file, or an address. DuckDB opens its file before it reads any statement. */
export function reviewDuckdb(to: Collector, parsed: ParsedArguments): void {
  reviewDatabase(to, parsed);
  const [operand] = parsed.operands;
  const isAnswer = parsed.options.some((option) => option.spec.isListing);
  if (operand !== undefined && !isReadOnly(parsed) && !isAnswer) addMade(to, parsed, { by: operand, beside: (database) => [`${database}.wal`] });
  for (const word of statementsOverViews(to, parsed))
    addEffect(to, "unknown", word.span, `${showWord(word)} may read a view of the file, which may name any file or address`);
}

function statementsOverViews(to: Collector, parsed: ParsedArguments): readonly Word[] {
  return isSafe(parsed) ? [] : statementsOf(to, parsed).filter((word) => readsNamedTables(to.program, word));
}

/** The statements for a file: those among the words, or else those that are fed. */
function statementsOf(to: Collector, parsed: ParsedArguments): readonly Word[] {
  const { operands, options } = parsed;
  const values = options.flatMap(({ spec, value }) => (value !== null && spec.value.kind === "role" && spec.value.role === "sql" ? [value] : []));
  return [...operands.slice(1), ...values, ...(isGiven(parsed) ? [] : (fedStatements(to) ?? []))];
}
