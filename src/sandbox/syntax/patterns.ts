import { parse, type SgNode } from "@ast-grep/napi";
import { faultText } from "../../base/fault-text.ts";
import { LANGUAGES, type LanguageTable } from "./languages.ts";
import { type FileAnswer, MOST_USES, shownLine, type SourceText, type SyntaxTask, unread, withVariables } from "./task.ts";

type PatternTask = Extract<SyntaxTask, { kind: "pattern" }>;
type Language = NonNullable<LanguageTable["pattern"]>;
type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** A variable may stand in what takes its place many times over. */
const MOST_REWRITTEN = 2 * 1024 * 1024;

/** What finds a pattern in a file. */
export function patternReader({ pattern, rewrite }: PatternTask): (source: SourceText) => FileAnswer {
  return (source) => {
    const language = LANGUAGES[source.language]?.pattern;
    if (language === undefined) return unread(source.path, "no pattern is searched for in its language");
    const root = parse(language, source.text).root();
    let found: readonly SgNode[];
    try {
      found = root.findAll(pattern);
    } catch (error) {
      return unread(source.path, `it is no pattern of ${language}: ${faultText(error).slice(0, 300)}`);
    }
    const lines = source.text.split("\n");
    const uses = found.slice(0, MOST_USES).map((node) => {
      const { line, column } = node.range().start;
      return { line: line + 1, column: column + 1, text: shownLine(lines[line] ?? "") };
    });
    const rewritten = rewrite === null || found.length === 0 ? null : rewriteAll(source.text, found, rewrite);
    if (rewritten !== null && rewritten.length > MOST_REWRITTEN) return unread(source.path, `it would be longer than ${MOST_REWRITTEN} characters`);
    if (rewritten !== null && isFaulty(language, rewritten) && !isFaulty(language, source.text))
      return unread(source.path, "it would be no valid syntax any more");
    const isCut = found.length > MOST_USES;
    return { path: source.path, problem: null, definitions: [], uses, rewritten, isCut, hasErrors: false };
  };
}

function isFaulty(language: Language, text: string): boolean {
  return (
    parse(language, text)
      .root()
      .find({ rule: { kind: "ERROR" } }) !== null
  );
}

/** A match that lies in another one stays as it is: what is around it was rewritten. */
function rewriteAll(text: string, found: readonly SgNode[], rewrite: string): string {
  const parts: string[] = [];
  let end = 0;
  let length = 0;
  for (const edit of found.map((node) => editOf(text, node, rewrite)).toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (edit.start < end) continue;
    parts.push(text.slice(end, edit.start), edit.text);
    length += edit.text.length;
    if (length > MOST_REWRITTEN) break;
    ({ end } = edit);
  }
  return [...parts, text.slice(end)].join("");
}

function editOf(text: string, node: SgNode, rewrite: string): Edit {
  const { start, end } = node.range();
  const value = (name: string, isMany: boolean): string => {
    if (!isMany) return node.getMatch(name)?.text() ?? "";
    const many = node.getMultipleMatches(name);
    // With what is between them: commas, comments, lines.
    return text.slice(many[0]?.range().start.index ?? 0, many.at(-1)?.range().end.index ?? 0);
  };
  return { start: start.index, end: end.index, text: withVariables(rewrite, value) };
}
