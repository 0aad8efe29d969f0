import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { languageOf } from "../../sandbox/syntax/languages.ts";
import { type SourceText, variablesOf } from "../../sandbox/syntax/task.ts";
import { defineTool } from "../contract/define.ts";
import { codeRewriteSchema } from "../contract/input-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { changeRequests } from "../files/change.ts";
import { readWhole } from "./read-whole.ts";
import { nothingChanged, writeAll } from "./write-all.ts";

/** Rewrites code that matches a pattern, in the files that it names: all of them, or none. */
export const codeRewriteTool = defineTool({
  name: "code_rewrite",
  aliases: TOOL_NAMES.code_rewrite,
  description:
    "Rewrites code by its syntax: each match of a pattern in the named files (code with operation search finds them), all or nothing. Returns the changed lines. JavaScript, TypeScript, JSX, CSS.",
  schema: codeRewriteSchema,
  traits: { exclusiveSandbox: false, tier: "workspace-write", timeoutMs: 300_000, history: { summaryArgument: "pattern" } },
  validate: ({ pattern, rewrite }) => {
    const known = variablesOf(pattern);
    const unknown = variablesOf(rewrite).filter((variable) => !known.includes(variable));
    if (unknown.length > 0) return `rewrite has ${unknown.join(", ")}, which the pattern does not have`;
    return pattern === rewrite ? "pattern and rewrite are the same: there is nothing to change" : null;
  },
  requests: ({ paths }, setting) => [...new Set(paths.map((path) => locate(path, setting)))].flatMap(changeRequests),
  async execute({ paths, pattern, rewrite }, context) {
    const read = await readWhole(context, [...new Set(paths.map((path) => locate(path, context)))]);
    if (typeof read === "string") return nothingChanged(read);
    const sources = read.map(({ path, before }): SourceText => ({ path, language: languageOf(path) ?? "", text: before }));
    const answers = await context.handles.syntax.read({ kind: "pattern", pattern, rewrite, files: sources });
    const refused = answers.find(({ problem, isCut }) => problem !== null || isCut);
    if (refused !== undefined) return nothingChanged(`${showPath(refused.path, context)}: ${refused.problem ?? "the pattern matches more than 500 times"}.`);
    const files = read.flatMap((file, index) => {
      const after = answers[index]?.rewritten ?? null;
      return after === null || after === file.before ? [] : [{ ...file, after }];
    });
    if (files.length === 0)
      return nothingChanged("The pattern matches nowhere in these files (one that is no whole expression, statement or rule matches nothing).");
    const matches = answers.reduce((sum, { uses }) => sum + uses.length, 0);
    return await writeAll(context, files, `Rewrote ${files.length} of ${read.length} files (${matches} matches).`);
  },
});
