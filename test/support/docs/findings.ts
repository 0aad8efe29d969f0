/**
 * What the pages of this repository do not keep of its rules for prose, one finding a line. Pages may be named:
 *
 *     sh scripts/with-node node test/support/docs/findings.ts README.md docs/audit.md
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brokenMention, mentionsOf } from "./mentions.ts";
import { sentencesOf } from "./sentences.ts";

export const MAX_WORDS = 40;
export const MAX_CHANGELOG_LINES = 150;

export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Every page that a reader is led to. */
export const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", ...globSync("docs/**/*.md", { cwd: root })].toSorted();

/** Sentences of a text that are too long, each as `FILE:LINE: N words: its beginning`. */
export function longSentences(file: string, text: string): readonly string[] {
  return sentencesOf(text)
    .filter(({ words }) => words > MAX_WORDS)
    .map((sentence) => `${file}:${sentence.line}: ${sentence.words} words: ${sentence.text.split(" ").slice(0, 8).join(" ")}…`);
}

/** Links and paths of a text that lead nowhere, each as `FILE:LINE: what is not there`. */
export function brokenMentions(file: string, text: string): readonly string[] {
  return mentionsOf(text).flatMap((mention) => {
    const fault = brokenMention(root, { file, text }, mention);
    return fault === undefined ? [] : [`${file}:${mention.line}: ${fault}`];
  });
}

export const readPage = (file: string): string => readFileSync(path.join(root, file), "utf8");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : pages;
  const found = chosen.flatMap((file) => [...longSentences(file, readPage(file)), ...brokenMentions(file, readPage(file))]);
  const lines = readPage("CHANGELOG.md").split("\n").length - 1;
  if (chosen.includes("CHANGELOG.md") && lines > MAX_CHANGELOG_LINES) found.push(`CHANGELOG.md: ${lines} lines, at most ${MAX_CHANGELOG_LINES}`);
  process.stdout.write(`${[...found, `${found.length} findings in ${chosen.length} pages`].join("\n")}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
