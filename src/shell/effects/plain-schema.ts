import type { Condition, Word } from "../model.ts";
import { namedTables } from "./analysers/sql.ts";
import type { ParsedArguments } from "./arguments.ts";
import type { Collector } from "./collector.ts";
import { literalPath } from "./paths.ts";
import { literalValue } from "./words.ts";

/** No plain name of a file: a URI, `:memory:`, a temporary database, a tilde, which may be quoted, or a way up, which leads elsewhere behind a link. */
const ODD_NAME = /^(?:file:|:|~|$)|(?:^|\/)\.\.(?:\/|$)/;

/** What a statement of `sqlite3 FILE STATEMENT` runs code through: it does not where the file holds nothing but the tables that it names, and such. */
export function throughSchema(to: Collector, { operands, options }: ParsedArguments, statement: Word): { readonly through?: Condition } {
  const name = literalValue(operands[0]);
  const isCommanded = options.some(({ spec }) => spec.value.kind === "role" && spec.value.role === "sql");
  if (name === null || ODD_NAME.test(name) || isCommanded) return {};
  const database = literalPath(name, to.paths);
  const tables = namedTables(statement);
  return database.kind !== "literal" || tables === null ? {} : { through: { kind: "plain-schema", database: database.path, tables } };
}
