import type { Word } from "../../model.ts";
import type { Collector } from "../collector.ts";
import { addEffect } from "../collector.ts";
import { showWord } from "../words.ts";

const READING =
  /^\s*(?:select|show|explain(?!\s+analy[sz]e)|describe|desc|values|pragma\s+(?:table_info|table_list|index_list|index_info|foreign_key_list|database_list|user_version|schema_version|page_count|page_size|compile_options|integrity_check)\b)/i;
const DOT_COMMAND = /^\.(?:tables?|schema|indexes|indices|databases|dbinfo|help|show|version|fullschema)(?:\s+[\w%."'-]+)?\s*$/;
/** Functions and clauses by which a query reads or writes files, loads code, waits, or calls out. */
const REACHING =
  /\b(?:into|load_\w+|readfile|writefile|edit|fts3_tokenizer|pg_\w+|lo_\w+|dblink\w*|xp_\w+|sp_\w+|openrowset|opendatasource|openquery|sys_\w+|query_to_xml\w*|nextval|setval|set_config|read_\w+|glob|parquet_\w+|sniff_csv|scan_\w+|\w+_scan|http_\w+|getenv|sleep|benchmark|delete|update|insert|drop|alter|create|replace|truncate|merge|grant|revoke|copy|attach|install|call|exec|execute|do|lock|for\s+update|for\s+share)\b/i;

/** One statement that only reads; everything else changes data or reaches further. */
export function readSql(to: Collector, word: Word): void {
  const text = word.kind === "literal" ? word.value : "";
  if (DOT_COMMAND.test(text)) return;
  const statement = text.replace(/;\s*$/, "");
  const isReading =
    READING.test(statement) && !/;|--|\/\*|\\|^\s*\./m.test(statement) && !REACHING.test(statement) && !/\b(?:from|join)\s+['"]/i.test(statement);
  if (!isReading) addEffect(to, "unknown", word.span, `the statement ${showWord(word)} is not one that is known to only read`);
}
