/**
 * Reads source text for one call: a process of its own, which `ask.ts` starts with nothing but its task and ends when it takes too long. The parsers are
 * WebAssembly, and what they read a model or a stranger wrote.
 */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import treeSitter from "@vscode/tree-sitter-wasm";
import { dropPrivileges } from "../own-process/drop-privileges.ts";
import { LANGUAGES } from "./languages.ts";
import { type FileAnswer, type SourceText, type SyntaxTask, unread } from "./task.ts";
import { walk } from "./walk.ts";

/** A user that owns nothing and runs nothing else, the egress proxy least of all. */
const OWN_USER = { uid: 65530, gid: 65530 };
/** For one file: what takes longer is hostile, or generated. */
const FILE_MS = 3000;
const TOO_LONG = "it took too long to parse";

const { Language, Parser } = treeSitter;
type Parser = InstanceType<typeof Parser>;

const task = JSON.parse(await text(process.stdin)) as SyntaxTask;
await Parser.init();
const parser = new Parser();
const grammars = new Map<string, InstanceType<typeof Language>>();
for (const { grammar } of new Set(task.files.flatMap(({ language }) => LANGUAGES[language] ?? []))) {
  const url = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  if (!grammars.has(grammar)) grammars.set(grammar, await Language.load(readFileSync(fileURLToPath(url))));
}
// All that it needs is read.
if (process.getuid?.() === 0) dropPrivileges(OWN_USER);
for (const source of task.files) {
  const read = answer(source);
  process.stdout.write(`${JSON.stringify(read)}\n`);
  // What it allocated is never given back: the files behind it are for another process.
  if (read.problem === TOO_LONG) process.exit(0);
}

/** Throws where the parser's memory is broken: then this process is over. */
function answer(source: SourceText): FileAnswer {
  const grammar = grammars.get(LANGUAGES[source.language]?.grammar ?? "");
  if (grammar === undefined) return unread(source.path, "its language is not one that can be read");
  const until = performance.now() + FILE_MS;
  const isOver = (): boolean => performance.now() > until;
  parser.setLanguage(grammar);
  const tree = parser.parse(source.text, null, { progressCallback: isOver });
  if (tree === null) return unread(source.path, TOO_LONG);
  const read = walk({ source, tree, name: task.kind === "name" ? task.name : null, isOver });
  tree.delete();
  return read;
}
