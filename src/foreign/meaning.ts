import { isSystemText, MAX_COMMAND_CHARACTERS } from "../tools/contract/command.ts";
import type { ToolRequest, ToolSetting } from "../tools/contract/tool.ts";
import { placesOf } from "./spelled-path.ts";

/** Arguments as another agent sent them: nothing about them is known. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A call of another agent in Warder's words: the tool that policies know, and what it asks for. Or why it cannot be read, for that agent's model. */
export type Meaning = { readonly tool: string; readonly requests: readonly ToolRequest[] } | { readonly problem: string };

/** Reads the arguments of one tool. `place`: the directory that relative paths are of, as `workspace`, and the home. */
export type MeaningOf = (input: Arguments, place: ToolSetting) => Meaning;

/** The tools of one agent, by the names that it has for them. */
export type MeaningTable = Readonly<Record<string, MeaningOf>>;

/** A command text, and where it runs if the agent says so. */
export function command(key: string, ...directoryKeys: readonly string[]): MeaningOf {
  return (input, place) => {
    const text = input[key];
    if (typeof text !== "string" || !isSystemText(text, MAX_COMMAND_CHARACTERS)) return missing([key], "a command text");
    const named = directoryKeys.filter((name) => isGiven(input[name]));
    const directories = named.map((name) => placesOf(input[name], place));
    if (directories.includes(null)) return missing(named, "a path");
    const places = named.length === 0 ? [place.workspace] : directories.flatMap((each) => each ?? []);
    return { tool: "shell", requests: places.map((cwd) => ({ kind: "command", text, cwd })) };
  };
}

/** A file that is read. Of several keys each that is there counts: which one the agent takes is not known. */
export function reading(...keys: readonly string[]): MeaningOf {
  return onPaths("read_file", keys, (path) => ({ kind: "read", path, isRecursive: false }));
}

/** A directory that is read with all below it; without the argument the one that the agent is in. */
export function searching(tool: "glob_search" | "grep_search" | "list_files", ...keys: readonly string[]): MeaningOf {
  const named = onPaths(tool, keys, (path) => ({ kind: "read", path, isRecursive: true }));
  return (input, place) => named(keys.some((key) => isGiven(input[key])) ? input : { [keys[0] ?? ""]: place.workspace }, place);
}

/** A file that is written; what is changed is read as well. */
export function writing(tool: "edit_file" | "write_file", ...keys: readonly string[]): MeaningOf {
  return onPaths(tool, keys, (path) => ({ kind: "write", path }));
}

/** Several calls in one: all that they ask for. `key`: the list of their arguments. */
export function listed(key: string, meaning: MeaningOf): MeaningOf {
  return (input, place) => {
    const list = input[key];
    const inputs = Array.isArray(list) ? list.map((one) => (typeof one === "object" && one !== null ? (one as Arguments) : { [key]: one as unknown })) : [];
    const all = inputs.map((one) => meaning(one, place));
    const [first] = all;
    if (first === undefined || "problem" in first) return first ?? missing([key], "a list");
    return all.find((one) => "problem" in one) ?? { tool: first.tool, requests: all.flatMap((one) => ("requests" in one ? one.requests : [])) };
  };
}

/** An address that is fetched. */
export function fetching(key: string): MeaningOf {
  return (input) => {
    const text = input[key];
    const url = typeof text === "string" ? URL.parse(text) : null;
    return url === null ? missing([key], "an address") : connection(url);
  };
}

/** The addresses in a text, each a connection. Without one it cannot be said where it goes. */
export function fetchingWithin(key: string): MeaningOf {
  return (input) => {
    const text = input[key];
    const urls = typeof text === "string" ? [...text.matchAll(/https?:\/\/[^\s"'<>)\]]+/giu)].map(([each]) => URL.parse(each)) : [];
    if (urls.length === 0 || urls.includes(null)) return missing([key], "a text with the addresses that are fetched");
    const all = urls.flatMap((url) => (url === null ? [] : [connection(url)]));
    const problem = all.find((each) => "problem" in each);
    return problem ?? { tool: "web_fetch", requests: all.flatMap((each) => ("requests" in each ? each.requests : [])) };
  };
}

/** A sub-agent gets a task. Its own calls come as calls of their own. */
export function delegating(key: string): MeaningOf {
  return (input) => {
    const task = input[key];
    return typeof task === "string" ? { tool: "agent", requests: [{ kind: "delegate", task }] } : missing([key], "the sub-agent's task");
  };
}

/** What touches nothing outside the agent's own conversation: a list of tasks, a question to its person. */
export const conversing =
  (tool: string): MeaningOf =>
  () => ({ tool, requests: [] });

/** A tool that only its name is known of. */
export function invoking(tool: string): Meaning {
  return { tool, requests: [{ kind: "invoke", tool }] };
}

/** What a tool means by a table of an agent's; one that is not in it is known by name only. */
export function meaningIn(table: MeaningTable, name: string, input: Arguments, place: ToolSetting): Meaning {
  const meaning = Object.hasOwn(table, name) ? table[name] : undefined;
  return meaning === undefined ? invoking(name) : meaning(input, place);
}

/** A tool of an MCP server, by the name that policies have for it. */
export function ofServer(server: string, tool: string): Meaning {
  return invoking(`${server}__${tool}`);
}

function connection(url: URL): Meaning {
  const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  if (port === undefined || url.hostname === "") return { problem: `The address ${url.protocol} is no http or https address.` };
  return { tool: "web_fetch", requests: [{ kind: "connect", host: url.hostname.replaceAll(/^\[|\]$/gu, ""), port }] };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

function onPaths(tool: string, keys: readonly string[], request: (path: string) => ToolRequest): MeaningOf {
  return (input, place) => {
    const named = keys.filter((key) => isGiven(input[key])).map((key) => placesOf(input[key], place));
    if (named.length === 0 || named.includes(null)) return missing(keys, "a path");
    return { tool, requests: named.flatMap((paths) => paths ?? []).map(request) };
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

export function missing(keys: readonly string[], what: string): Meaning {
  return { problem: `The argument ${keys.join(" or ")} is missing or is not ${what}.` };
}
