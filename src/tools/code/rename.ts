import { z } from "zod";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { languageOf } from "../../sandbox/syntax/languages.ts";
import { defineTool } from "../contract/define.ts";
import { renameSymbolSchema } from "../contract/input-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { trustedError } from "../contract/result.ts";
import { changeRequests } from "../files/change.ts";
import { ask, pathOf, type Position, positionOf, rangeSchema } from "./conversation.ts";
import { noServer, serverRequests } from "./language-server.ts";
import { readWhole } from "./read-whole.ts";
import { serverFor } from "./servers.ts";
import { nothingChanged, type Rewritten, writeAll } from "./write-all.ts";

const editSchema = z.looseObject({ range: rangeSchema, newText: z.string().max(100_000) });
type Edit = z.output<typeof editSchema>;
/** What makes, moves or deletes a file is none of these. */
const workspaceEditSchema = z.union([
  z.strictObject({ changes: z.record(z.string(), z.array(editSchema)) }).transform(({ changes }) => Object.entries(changes)),
  z
    .strictObject({ documentChanges: z.array(z.strictObject({ textDocument: z.looseObject({ uri: z.string() }), edits: z.array(editSchema) })) })
    .transform(({ documentChanges }) => documentChanges.map(({ textDocument, edits }) => [textDocument.uri, edits] as const)),
]);

/** Renames a name wherever a language server finds it, in files that the call names: all of them, or none. */
export const renameSymbolTool = defineTool({
  name: "rename_symbol",
  aliases: TOOL_NAMES.rename_symbol,
  description:
    "Renames a function, class, method, type or variable wherever the project's language server finds it. paths names every file that may change (language_server with operation references tells them): all of them or none. Returns the changed lines.",
  schema: renameSymbolSchema,
  traits: { timeoutMs: "policy", history: { summaryArgument: "path" } },
  validate: ({ name, new_name: to }) => (name === to ? "name and new_name are the same: there is nothing to change" : null),
  requests: (input, setting) => {
    const paths = new Set([input.path, ...input.paths].map((path) => locate(path, setting)));
    return [...serverRequests(input, setting).filter(({ kind }) => kind === "command"), ...[...paths].flatMap(changeRequests)];
  },
  async execute({ path: said, paths, name, new_name: newName, line, server: named }, context) {
    const path = locate(said, context);
    const server = serverFor(languageOf(path), named);
    if (server === null) return trustedError(noServer(named));
    const files = await readWhole(context, [...new Set([path, ...paths.map((one) => locate(one, context))])]);
    if (typeof files === "string") return nothingChanged(files);
    const text = files[0]?.before ?? "";
    const position = positionOf(text, name, line);
    if (position === null)
      return nothingChanged(`${makeVisibleLine(name)} is no word of ${line === undefined ? "" : `line ${line} of `}${showPath(path, context)}.`);
    const reply = await ask(context, { server, path, text, method: "textDocument/rename", params: { position, newName } });
    if ("problem" in reply) return nothingChanged(makeVisible(reply.problem));
    const edits = workspaceEditSchema.safeParse(reply.result ?? { changes: {} }).data;
    if (edits === undefined) return nothingChanged("The language server's answer is no rename of names in files.");
    const changes = new Map(edits.map(([uri, list]) => [pathOf(uri) ?? uri, list]));
    const unnamed = [...changes.keys()].filter((changed) => files.every((file) => file.path !== changed));
    if (unnamed.length > 0)
      return nothingChanged(
        `It changes files that paths does not name, too: ${unnamed
          .slice(0, 50)
          .map((one) => makeVisibleLine(showPath(one, context)))
          .join(", ")}. Name them all.`,
      );
    const planned = files.map((file) => ({ ...file, after: edited(file.before, changes.get(file.path) ?? []) }));
    const whole = planned.flatMap(({ after, ...file }): readonly Rewritten[] => (after === null || after === file.before ? [] : [{ ...file, after }]));
    if (planned.some(({ after }) => after === null)) return nothingChanged("The language server's edits do not fit the files as they are.");
    if (whole.length === 0) return nothingChanged("The language server renames nothing here.");
    return await writeAll(context, whole, `Renamed ${makeVisibleLine(name)} to ${makeVisibleLine(newName)} in ${whole.length} files.`);
  },
});

/** The text with these edits; null: they lie outside of it, or upon each other. */
function edited(text: string, edits: readonly Edit[]): string | null {
  const starts = [0];
  for (let feed = text.indexOf("\n"); feed >= 0; feed = text.indexOf("\n", feed + 1)) starts.push(feed + 1);
  const offsetOf = ({ line, character }: Position): number => (starts[line] ?? Number.NaN) + character;
  const placed = edits
    .map(({ range, newText }) => ({ from: offsetOf(range.start), to: offsetOf(range.end), newText }))
    .toSorted((one, other) => one.from - other.from);
  const parts: string[] = [];
  let end = 0;
  for (const { from, to, newText } of placed) {
    if (!(from >= end && to >= from && to <= text.length)) return null;
    parts.push(text.slice(end, from), newText);
    end = to;
  }
  return [...parts, text.slice(end)].join("");
}
