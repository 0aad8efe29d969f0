import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { showWord } from "../../model/words.ts";
import { BEFORE_PARENTHESIS, CHANGING, FUNCTIONS, NAMED_PRAGMAS, SHOWING_PRAGMAS } from "./sql-words.ts";

/** Statements that only read, if every word and function in them does. */
const READING = /^(?:select|with|values|table|from|show|describe|desc|explain|summarize|pragma|checksum|help|use)$/;
/** Another word at the beginning of a batch names a procedure of SQL Server's. */
const IN_SQL_SERVER = /^(?:select|with|use|explain\s+select)\b/i;
/** Commands of SQLite's and DuckDB's shell that only show, each on a line of its own. `.fullschema` reads tables of statistics, which may be views. */
const DOT_SHOWING = [
  /^\.(?:tables?|schema|indexes|indices|databases|dbinfo|help|show|version|constant|functions)(?:[ \t]+[\w%."'-]+)?$/,
  // How the shell shows what follows: nothing is read or written yet.
  /^\.(?:headers?|echo|timer|bail|changes|stats|eqp|explain|binary)[ \t]+(?:on|off|auto)$/,
  /^\.(?:mode[ \t]+(?:--?wrap[ \t]+\d+[ \t]+)?(?:ascii|box|csv|column|html|json|line|list|markdown|qbox|quote|table|tabs|tcl|jsonlines|latex|trash|duckbox)|width(?:[ \t]+-?\d+)+|(?:nullvalue|separator|print)[ \t]+[\w ,;:|."'-]*|timeout[ \t]+\d+)$/,
];
/** Those of the PostgreSQL client, which goes on with the next line. */
const BACKSLASH_SHOWING = [/^\\(?:d[a-zA-Z]{0,4}S?\+?|l\+?|z|sf\+?|sv\+?|conninfo|encoding|errverbose|\?|h|copyright|dconfig)(?:[ \t]+[\w.*"?]+)*$/];
/** By another client they are sent to the server, with what stands behind them. */
const SHOWING: Readonly<Record<string, readonly RegExp[]>> = { sqlite3: DOT_SHOWING, duckdb: DOT_SHOWING, psql: BACKSLASH_SHOWING };
/** Those of them that need no database. */
const SETTING = /^\.(?:help|show|version|headers?|echo|timer|bail|changes|stats|eqp|explain|binary|mode|width|nullvalue|separator|print)\b/;
/** Where the databases keep passwords and their digests. */
const SECRET =
  /\b(?:pg_authid|pg_shadow|_?pg_user_mappings?|user_mapping_options|primary_conninfo|subconninfo|pg_subscription|pg_hba_file_rules|rolpassword|sql_logins|authentication_string|mysql["`]?\s*\.\s*["`]?(?:user|global_priv|servers|slave_master_info|password_history))\b|^show\s+(?:create\s+(?:user|server)|grants)\b|^\\(?:deu|dRs)\w*\+/i;

/** Comments before a statement that every database leaves out: MySQL runs what stands in one that begins with `!` or `M!`, and takes orders from `+`. */
const COMMENTS = /^(?:\s+|\/\*(?!M)[\w .,()-]*\*\/|-- [\w .,()-]*\n)+/;

/**
 * What PostgreSQL, MySQL and Athena execute to explain it: it does what the statement behind does.
 * https://www.postgresql.org/docs/18/sql-explain.html
 */
const EXPLAINED =
  /^explain(?:\s+analy[sz]e(?:\s+verbose)?\s+|\s*\(\s*(?:analy[sz]e|verbose|costs|settings|buffers|wal|timing|summary|memory|format)(?:\s+\w+)?(?:\s*,\s*(?:analy[sz]e|verbose|costs|settings|buffers|wal|timing|summary|memory|format)(?:\s+\w+)?)*\s*\)\s*)(?=(?:select|with|values|table)\b)/i;

/** The statement without comments before it, and without a wish that it be explained while it runs. */
function withoutPreface(text: string): string {
  return text.replace(COMMENTS, "").trim().replace(EXPLAINED, "");
}

/** The statements of a text, as every database parts them; where they do not all do so alike, the text is one that nobody understands. */
function statementsOf(word: Word): readonly string[] {
  if (word.kind !== "literal") return [""];
  const text = withoutPreface(word.value).replace(/(?:;|\\[gG])\s*$/, "");
  if (!text.includes(";") || tokenise(text) === null) return [text];
  const statements: string[] = [];
  for (let at = 0, from = 0; at <= text.length;) {
    LEXEMES.lastIndex = at;
    const [lexeme] = LEXEMES.exec(text) ?? [];
    at += lexeme?.length ?? 1;
    if (lexeme !== undefined && lexeme !== ";") continue;
    const statement = withoutPreface(text.slice(from, lexeme === undefined ? text.length : at - 1));
    if (statement !== "") statements.push(statement);
    from = at;
  }
  return statements;
}

/** Statements that only read; everything else changes data or reaches further. */
export function readSql(to: Collector, word: Word): void {
  const statements = statementsOf(word);
  if (statements.some((text) => SECRET.test(text)))
    addEffect(to, "secrets", word.span, `the statement ${showWord(word)} reads what the database keeps of passwords`);
  if (isShowing(to.program, statements) || statements.every((text) => isReading(text) && isReadingIn(to.program, text))) return;
  addEffect(to, "unknown", word.span, `the statement ${showWord(word)} is not one that is known to only read`);
}

/** Whether a statement that seems to only read does so by a client. What stands in the environment goes into one of sqlcmd's by `$(NAME)`, within quotes too. */
function isReadingIn(program: string, text: string): boolean {
  if (/^sqlcmd\b/.test(program)) return IN_SQL_SERVER.test(text) && !text.includes("$(");
  return program !== "psql" || !callsBehindDot(tokenise(text) ?? []);
}

/**
 * To PostgreSQL a name behind a value is that of a function, which it calls: `('/f'::text).pg_read_file`, and `x.pg_read_file from lower('/f') x`, as the row of such
 * a function is its value. https://www.postgresql.org/docs/18/rowtypes.html
 */
function callsBehindDot(tokens: readonly Token[]): boolean {
  const [naming, openers] = [[false], [""]];
  const names = tokens.flatMap(({ text }, index) => (text === "." && tokens[index + 1]?.text !== "*" ? [tokens[index - 1]?.text] : []));
  const isValueListed = tokens.some((token, index) => {
    const [before = "", after] = [tokens[index - 1]?.text, tokens[index + 1]?.text];
    follow(naming, token);
    if (token.text === "(") openers.push(before);
    else if (token.text === ")") openers.pop();
    if (token.text === "rows") return after === "from";
    const isListed = naming.at(-1) === true && LISTING.has(before) && !TAKING_FROM.has(openers.at(-1) ?? "");
    return isListed && after === "(" && FUNCTIONS.has(token.text) && !GIVING_ROWS.test(token.text);
  });
  return names.includes(")") || (isValueListed && names.length > 0);
}

const LISTING = new Set(["from", "join", "lateral", ","]);
/** Within their parentheses a FROM names no table. */
const TAKING_FROM = new Set(["extract", "trim", "substring", "overlay"]);
const GIVING_ROWS = /^jsonb?_(?:each|tree)$/;

/** A command of a database's shell stands alone: behind a statement it is part of it, or an error. */
function isShowing(program: string, [only = "", ...others]: readonly string[]): boolean {
  return others.length === 0 && SHOWING[program]?.some((pattern) => pattern.test(only.trim())) === true;
}

/** Whether SQLite's shell asks its library for the file, which makes one that is missing: it does for any statement, and not for what sets how it shows things. */
export function makesFile(word: Word): boolean {
  return !SETTING.test(statementsOf(word).join(";"));
}

/** Whether statements for SQLite may open the file: they do not to show what the shell is set to, or what is worked out from nothing. */
export function opensFile(word: Word): boolean {
  return statementsOf(word).some((text) => {
    if (SETTING.test(text)) return false;
    const tokens = tokenise(text);
    if (tokens?.[0]?.text !== "select") return true;
    return !tokens.every(({ kind, text: token }, index) => {
      if (kind === "word") return token === "select" || (FUNCTIONS.has(token) && tokens[index + 1]?.text === "(");
      return kind !== "name";
    });
  });
}

/**
 * Whether a statement for SQLite or DuckDB reads what the file calls by a name: a view may call `edit('', COMMAND)`, which is then run. The schema itself is none. What
 * is not understood is "unknown" already.
 */
export function readsNamedTables(program: string, word: Word): boolean {
  const statements = statementsOf(word);
  return !isShowing(program, statements) && statements.some((text) => namesTables(text, program === "duckdb" ? RUNNING_IN_DUCKDB : RUNNING));
}

function namesTables(text: string, running: RegExp): boolean {
  const tokens = tokenise(text);
  if (tokens === null || !running.test(tokens[0]?.text ?? "")) return false;
  if (tokens[0]?.text === "show" && tokens.slice(1).every((token) => SHOWN_IN_DUCKDB.has(token.text))) return false;
  const naming = [false];
  return tokens.some((token, index) => {
    follow(naming, token);
    if (token.text === "in") return tokens[index + 1]?.text !== "(";
    return naming.at(-1) === true && token.kind !== "sign" && token.text !== "from" && !OWN_TABLE.test(token.text);
  });
}

/**
 * The tables that SELECTs of SQLite's may read besides SQLite's own, in lower case, and perhaps more; null where that is not certain. SQLite takes a name that the
 * file does not give to a table for one of its own virtual tables: `fsdir` reads any file, `pragma_integrity_check` runs what the checks of a table call.
 */
export function namedTables(word: Word): readonly string[] | null {
  const tables = new Set<string>();
  for (const statement of statementsOf(word)) {
    const named = tablesOf(statement);
    if (named === null) return null;
    for (const table of named) tables.add(table);
  }
  return [...tables].filter((name) => !OWN_TABLE.test(name));
}

function tablesOf(text: string): ReadonlySet<string> | null {
  const tokens = OTHER_SPACE.test(text) ? null : tokenise(text);
  if (tokens?.[0]?.text !== "select") return null;
  const tables = new Set<string>();
  /** Whether tables are listed at this depth of parentheses, innermost last. */
  const listing = [false];
  for (const [index, { kind, text: token }] of tokens.entries()) {
    const [before, after] = [tokens[index - 1]?.text ?? "", tokens[index + 1]?.text];
    const isInList = listing.at(-1) === true && BEFORE_TABLE.has(before);
    if (token === "(") listing.push(isInList);
    else if (token === ")") listing.pop();
    else if (token === "from" || ENDS_TABLES.has(token)) listing.splice(-1, 1, token === "from");
    else if ((isInList || before === "in") && kind !== "sign" && after !== "(") {
      if (after === ".") return null;
      tables.add(kind === "word" ? token : token.slice(1, -1).toLowerCase());
    }
  }
  return tables;
}

/** What separates words here, and not in SQLite. */
const OTHER_SPACE = /[^\S \t\n\f\r]/;
const BEFORE_TABLE = new Set(["from", "join", ",", "("]);
/** None of these is ever a name. */
const ENDS_TABLES = new Set(["select", "where", "group", "having", "order", "limit", "union", "except", "intersect"]);

/** `explain` and `pragma` run no view; what else a statement may begin with is "unknown". */
const RUNNING = /^(?:select|with|values|from)$/;
/** DuckDB opens the files of a view to describe or explain it. */
const RUNNING_IN_DUCKDB = /^(?:select|with|values|from|table|summarize|describe|desc|explain|show)$/;
const SHOWN_IN_DUCKDB = new Set(["all", "tables", "databases", "schemas"]);
/** The schema. A crafted file may hold views in the place of `sqlite_sequence` and of the statistics. */
const OWN_TABLE = /^sqlite_(?:master|schema)$/;

type Token = { readonly kind: "text" | "name" | "word" | "sign"; readonly text: string };

function isReading(statement: string): boolean {
  const tokens = tokenise(statement);
  const first = tokens?.[0];
  if (tokens === null || first?.kind !== "word" || !READING.test(first.text) || CLIENT_LINE.test(statement)) return false;
  // MySQL's client takes a line of it for a command of its own, and may take the next one for such.
  if (first.text === "help" && /[\r\n]/.test(statement)) return false;
  if (first.text === "pragma") return isShowingPragma(tokens);
  if (first.text === "use") return tokens.length === 2 && tokens[1]?.kind !== "sign" && !KEEPS_PASSWORDS.test(tokens[1]?.text ?? "");
  /** Whether tables are named at this depth of parentheses, innermost last. */
  const naming = [false];
  return tokens.every((token, index) => {
    follow(naming, token);
    return isHarmless(token, { before: tokens[index - 1]?.text ?? "", after: tokens[index + 1]?.text ?? "", namesTables: naming.at(-1) === true });
  });
}

/** A line that ends a batch of statements for SQL Server, so that the next may be a procedure's name, opens an editor, or tells MySQL's client what ends a statement. */
const CLIENT_LINE = /[\r\n][ \t]*(?:go|ed|delimiter)\b/i;

/** There a table's plain name says no longer whether it holds passwords. */
const KEEPS_PASSWORDS = /^["`]?(?:mysql|master|pg_catalog)["`]?$/i;

function isShowingPragma([, name, ...rest]: readonly Token[]): boolean {
  if (name?.kind !== "word" || !SHOWING_PRAGMAS.has(name.text)) return false;
  return (
    rest.length === 0 ||
    (NAMED_PRAGMAS.has(name.text) && rest.length === 3 && rest[0]?.text === "(" && (rest[1]?.kind === "word" || isPlainName(rest[1]?.text ?? "")))
  );
}

const NAMES_TABLES = new Set(["from", "join", "table", "describe", "desc", "summarize", "show"]);
/** No `window`, which may be a table's alias. */
const NAMES_COLUMNS = new Set(["select", "where", "group", "having", "order", "limit", "union", "except", "intersect", "values"]);

function follow(naming: boolean[], { kind, text }: Token): void {
  if (text === "(") naming.push(naming.at(-1) === true);
  else if (text === ")") naming.pop();
  else if (kind === "word" && (NAMES_TABLES.has(text) || NAMES_COLUMNS.has(text))) naming.splice(-1, 1, NAMES_TABLES.has(text));
}

type Place = { readonly before: string; readonly after: string; readonly namesTables: boolean };

function isHarmless({ kind, text }: Token, { before, after, namesTables }: Place): boolean {
  // DuckDB reads a file, or a URL, that stands where a table is expected, whatever its quotes.
  if (kind === "text" || kind === "name") return after !== "(" && (!namesTables || isPlainName(text) || COMPARING.has(before));
  if (kind !== "word") return true;
  if (CHANGING_PAIRS.has(`${before} ${text}`) || text === "nextval") return false;
  // Behind a dot a word is a column, or a function that is not told from others here.
  if (before === ".") return after !== "(";
  if (CHANGING.has(text) && !(before === "show" && text === "create")) return false;
  return after !== "(" || FUNCTIONS.has(text) || BEFORE_PARENTHESIS.has(text);
}

/** A sequence goes on, and messages are sent between servers. */
const CHANGING_PAIRS = new Set(["next value", "send on", "end conversation", "move conversation", "get conversation"]);
const COMPARING = new Set(["=", "<", ">", "<=", ">=", "<>", "!=", "like", "ilike", "and"]);

function isPlainName(text: string): boolean {
  return /^.[A-Za-z_][\w $-]*.$/.test(text);
}

const LEXEMES = /\s+|('(?:[^'\\]|'')*')|("(?:[^"\\]|"")*"|`[^`\\]*`)|((?:@@)?[A-Za-z_]\w*)|(\d[\w.]*|[<>!=]=|<>|\|\||::|->>?|[.,;()*+/%<>=?&|~^-])/y;

/** Null: comments, escapes, and whatever databases do not read alike. */
function tokenise(statement: string): Token[] | null {
  const tokens: Token[] = [];
  if (/--|\/\*|:=/.test(statement)) return null;
  for (let at = 0; at < statement.length;) {
    LEXEMES.lastIndex = at;
    const match = LEXEMES.exec(statement);
    if (match === null) return null;
    at += match[0].length;
    const [, text, name, word, sign] = match;
    if (text !== undefined) tokens.push({ kind: "text", text });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase() });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}
