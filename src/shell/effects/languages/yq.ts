import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { literalValue, showWord } from "../../model/words.ts";

/** Names that mean the same harmless thing in yq 4 (Go) and in jq, which the other yq (Python) hands its expression to. */
const NAMES = new Set(
  "select map map_values keys length has del path paths to_entries from_entries with_entries sort sort_by sort_keys unique unique_by group_by min max min_by max_by add any all flatten reverse first last join split test match capture sub gsub contains inside startswith endswith ltrimstr rtrimstr tostring tonumber to_json from_json tojson fromjson to_yaml from_yaml to_props to_xml to_csv to_tsv ascii_downcase ascii_upcase upcase downcase trim type tag kind style line column anchor alias explode key parent document_index documentIndex di fi file_index fileIndex filename head_comment line_comment foot_comment with reduce as ireduce collect pick omit pivot filter range limit until recurse empty not and or if then elif else end true false null error index indices splits ascii implode values nulls numbers strings arrays objects booleans scalars iterables floor sqrt now strftime format_datetime tz from_unix to_unix eval_all array_to_map shuffle slice_array key_path".split(
    " ",
  ),
);

/** Words that load files, read the environment, or run what they are given, wherever they stand. */
const REACHING = /load|env|eval(?!_all)|system|import|include|modulemeta|get_search_list|input|debug|stderr|split_doc|exec|halt/i;

/** A field of a document, whatever its name: one dot stands before it, and it is not called. Behind two dots, or a number, it is none. */
const FIELD = /(?<!\.|(?<!\w)\d+)\.[A-Za-z_]\w*(?!\w|\s*\()/g;

/**
 * An expression of yq. Two programs have the name; it is harmless when it is in both of their languages. The first word may be
 * the file instead, which yq 4 reads whole.
 */
export function readYqFilter(to: Collector, word: Word): void {
  const text = literalValue(word);
  if (text !== null && /^[\w/-][\w./-]*\.(?:ya?ml|json|xml|toml|csv|tsv|props|properties)$/.test(text)) return addPath(to, "reads", word);
  if (text === null || !isHarmless(text)) addEffect(to, "unknown", word.span, `the expression ${showWord(word)} is not one that is known to only compute`);
}

function isHarmless(text: string): boolean {
  // An escape in a string may begin an interpolation; a comment is none in both languages.
  if (/[\\#]/.test(text) || REACHING.test(text.replaceAll(FIELD, "."))) return false;
  const code = text.replaceAll(/"[^"]*"/g, '""');
  if (!/^[\w\s.,:;|()[\]{}"'*+/<>=!?@&%$^-]*$/.test(code)) return false;
  return [...code.matchAll(/(?<![\w.$@])[A-Za-z_]\w*/g)].every(([name]) => NAMES.has(name));
}
