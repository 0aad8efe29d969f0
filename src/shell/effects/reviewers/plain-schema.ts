import type { Condition, Word } from "../../model/model.ts";
import { namedTables } from "../languages/sql.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { literalPath } from "../operands/paths.ts";
import { literalValue } from "../../model/words.ts";

/** No plain name of a file: a URI, `:memory:`, a temporary database, a tilde, which may be quoted, or a way up, which leads elsewhere behind a link. */
const ODD_NAME = /^(?:file:|:|~|$)|(?:^|\/)\.\.(?:\/|$)/;

/** When `sqlite3 FILE STATEMENT` may run code: always, unless the file holds nothing but the tables that the statement names, and others as plain. */
export function throughSchema(to: Collector, parsed: ParsedArguments, statement: Word): { readonly through?: Condition } {
  const isCommanded = parsed.options.some(({ spec }) => spec.value.kind === "role" && spec.value.role === "sql");
  const database = isCommanded ? null : databaseOf(to, parsed);
  const tables = namedTables(statement);
  return database === null || tables === null ? {} : { through: { kind: "plain-schema", database, tables } };
}

/** When `sqlite3 FILE STATEMENT` changes files by opening FILE: always, unless FILE exists, is reached by no symlink, and no journal lies beside it. */
export function throughLeftOvers(to: Collector, parsed: ParsedArguments, beside: (database: string) => readonly string[]): { readonly through?: Condition } {
  const database = databaseOf(to, parsed);
  return database === null ? {} : { through: { kind: "files", directory: database, files: beside(database), homeFiles: [] } };
}

/** The file of `sqlite3 FILE`, absolute; null where the word is no plain name. */
export function databaseOf(to: Collector, { operands }: ParsedArguments): string | null {
  const name = literalValue(operands[0]);
  if (name === null || ODD_NAME.test(name)) return null;
  const database = literalPath(name, to.paths);
  return database.kind === "literal" ? database.path : null;
}
