import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import treeSitter from "@vscode/tree-sitter-wasm";
import { LANGUAGES } from "./languages.ts";
import { type FileAnswer, type SourceText, type SyntaxTask, TOO_LONG, unread } from "./task.ts";
import { walk } from "./walk.ts";

/** Processor time for one file, in microseconds: what takes more is hostile, or generated. By the clock a busy machine would refuse sound files. */
const FILE_US = 3_000_000;

/** Loads what the files of a task need. Gives what reads one of them; it throws where the parser's memory is broken. */
export async function treeReader(task: Exclude<SyntaxTask, { kind: "pattern" }>): Promise<(source: SourceText) => FileAnswer> {
  const { Language, Parser } = treeSitter;
  await Parser.init();
  const parser = new Parser();
  const grammars = new Map<string, InstanceType<typeof Language>>();
  for (const { grammar } of new Set(task.files.flatMap(({ language }) => LANGUAGES[language] ?? []))) {
    const url = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
    if (!grammars.has(grammar)) grammars.set(grammar, await Language.load(readFileSync(fileURLToPath(url))));
  }
  return (source) => {
    const grammar = grammars.get(LANGUAGES[source.language]?.grammar ?? "");
    if (grammar === undefined) return unread(source.path, "its language is not one that can be read");
    const before = process.threadCpuUsage();
    const isOver = (): boolean => {
      const { user, system } = process.threadCpuUsage(before);
      return user + system > FILE_US;
    };
    parser.setLanguage(grammar);
    const tree = parser.parse(source.text, null, { progressCallback: isOver });
    if (tree === null) return unread(source.path, TOO_LONG);
    const read = walk({ source, tree, name: task.kind === "name" ? task.name : null, isOver });
    tree.delete();
    return read;
  };
}
