import { quoteArgv } from "../shell/render.ts";
import type { ToolRequest, ToolSetting } from "../tools/contract/tool.ts";
import { readPatch } from "../tools/files/patch.ts";
import { type Meaning, type MeaningOf, missing } from "./meaning.ts";
import { placesOf } from "./spelled-path.ts";

/** A patch in the form that Codex made: each file that it names is written, and what it moves or deletes is so, too. `keys`: of which one holds the text. */
export function patching(...keys: readonly string[]): MeaningOf {
  return (input, place) => {
    const texts = keys.map((key) => input[key]).filter((value) => typeof value === "string");
    const [text] = texts;
    if (text === undefined || texts.length > 1) return missing(keys, "one patch");
    return meaningOfPatch(text, place);
  };
}

function meaningOfPatch(text: string, place: ToolSetting): Meaning {
  const read = readPatch(text);
  if (read.kind === "problem") return { problem: `The patch cannot be judged: ${read.problem}.` };
  if (read.matching !== "loose") return { problem: 'The patch cannot be judged: it does not begin with "*** Begin Patch".' };
  const asked: (readonly ToolRequest[] | null)[] = read.operations.map((operation) => {
    if (operation.kind === "delete") return deletion(operation.path, place);
    const moved = operation.kind === "update" && operation.moveTo !== null ? move(operation.path, operation.moveTo, place) : [];
    return both(written(operation.path, place), moved);
  });
  const named = new Set(read.operations.flatMap((operation) => [operation.path, ...("moveTo" in operation ? [operation.moveTo] : [])]));
  // A line that the agent may take for the head of a file, where we take it for a part of one.
  const doubtful = headsOf(text).filter((path) => !named.has(path));
  const all = [...asked, ...doubtful.map((path) => both(written(path, place), deletion(path, place)))];
  const requests = all.flatMap((each) => each ?? []);
  return all.includes(null) ? { problem: "A path of the patch is none, or means too many things." } : { tool: "apply_patch", requests: unique(requests) };
}

const HEADS = ["*** Add File:", "*** Delete File:", "*** Update File:", "*** Move to:"];

function headsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .flatMap((line) => HEADS.filter((head) => line.startsWith(head)).map((head) => line.slice(head.length).trim()));
}

function written(path: string, place: ToolSetting): readonly ToolRequest[] | null {
  return placesOf(path, place)?.map((each): ToolRequest => ({ kind: "write", path: each })) ?? null;
}

/** A file that is deleted: written, and the same as the command that does it. */
export function deleting(...keys: readonly string[]): MeaningOf {
  return (input, place) => {
    const named = keys.filter((key) => input[key] !== undefined && input[key] !== null && input[key] !== "");
    const requests = named.map((key) => deletion(input[key], place));
    if (named.length === 0 || requests.includes(null)) return missing(keys, "a path");
    return { tool: "edit_file", requests: requests.flatMap((each) => each ?? []) };
  };
}

/** What is gone afterwards is judged as by the command that does it. */
function deletion(path: unknown, place: ToolSetting): readonly ToolRequest[] | null {
  return (
    placesOf(path, place)?.flatMap((each): readonly ToolRequest[] => [
      { kind: "write", path: each },
      { kind: "command", text: quoteArgv(["rm", "--", each]), cwd: place.workspace },
    ]) ?? null
  );
}

function move(from: string, to: string, place: ToolSetting): readonly ToolRequest[] | null {
  const [sources, targets] = [placesOf(from, place), placesOf(to, place)];
  if (sources === null || targets === null) return null;
  return targets.flatMap((target): readonly ToolRequest[] => [
    { kind: "write", path: target },
    ...sources.map((source): ToolRequest => ({ kind: "command", text: quoteArgv(["mv", "-fT", "--", source, target]), cwd: place.workspace })),
  ]);
}

function both(first: readonly ToolRequest[] | null, second: readonly ToolRequest[] | null): readonly ToolRequest[] | null {
  return first === null || second === null ? null : [...first, ...second];
}

function unique(requests: readonly ToolRequest[]): readonly ToolRequest[] {
  return [...new Map(requests.map((request) => [JSON.stringify(request), request])).values()];
}
