import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { toolSearchSchema } from "../contract/input-schemas.ts";
import type { Tool, ToolResult } from "../contract/tool.ts";

/** Of no more tools than these a model is shown all. */
const FEW = 20;
/** Of more tools than these it is shown Warder's, and those that it found. */
const MANY = 40;
/** Of one search. */
const MAX_FOUND = 8;
/** Of all searches; beyond them the one that was found longest ago is shown no more. */
const MAX_KEPT = 64;

/** Of Warder's own, those that few tasks need and that have long schemas: a task in ten calls one of them, and each turn would pay for all. */
export const RARE: ReadonlySet<string> = new Set([
  "agent_apart",
  "agent_crew",
  "agent_merge",
  "browser",
  "code_rewrite",
  "config",
  "http_request",
  "language_server",
  "list_jobs",
  "memory_forget",
  "notebook_edit",
  "powershell",
  "rename_symbol",
  "sleep",
  "stop_job",
]);

/** They are in every description. */
const COMMON: ReadonlySet<string> = new Set(["a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"]);

type Named = Pick<Tool, "name" | "description">;

/** What may be held back: tools of an embedding program, of servers and documents, and those of Warder's that are rarely used. */
export type Searchable = { readonly others: readonly Named[]; readonly rare: readonly Named[] };

export type ToolSearch = {
  readonly tool: Tool<typeof toolSearchSchema>;
  /** Of the tools that are offered, in their order, those that a model is shown now. */
  readonly shown: <Definition extends Named>(offered: readonly Definition[]) => readonly Definition[];
  /** Shows tools from now on, those that may be searched for. */
  readonly show: (names: readonly string[]) => void;
};

export const TOOL_SEARCH = "tool_search";

/**
 * Finds tools that a model is not shown. It hides nothing from the policy: a call is judged the same, whether its tool is shown or not. `refuses`: why a tool is
 * not offered; such a one is not found.
 */
export function toolSearch({ others, rare }: Searchable, refuses: (name: string) => string | null): ToolSearch {
  const searchable = new Map([...others, ...rare].map((each) => [each.name, wordsOf(each)]));
  const rareNames = new Set(rare.map(({ name }) => name));
  const kept = new Set<string>();
  const show = (names: readonly string[]): void => {
    for (const name of names.filter((each) => searchable.has(each))) {
      kept.delete(name);
      kept.add(name);
    }
    for (const oldest of [...kept].slice(0, -MAX_KEPT)) kept.delete(oldest);
  };
  const tool = defineTool({
    name: TOOL_SEARCH,
    aliases: TOOL_NAMES.tool_search,
    description:
      "There are more tools than you are shown. Finds them by their names, or by words of what they do; you can call what it finds from your next turn on.",
    schema: toolSearchSchema,
    traits: { exclusiveSandbox: false, countsTowardCallLimit: false, tier: "read-only", history: { summaryArgument: "query" } },
    execute({ query }): ToolResult {
      const found = findIn(searchable, query)
        .filter((name) => refuses(name) === null)
        .slice(0, MAX_FOUND);
      show(found);
      // Names alone, which hold nothing but letters: what the tools say of themselves stands with their definitions.
      return found.length === 0 ? said("No tool is found by these words. Try others.") : said(`From now on you have: ${found.join(", ")}`);
    },
  });
  return {
    tool,
    show,
    shown: (offered) => {
      const isFindable = offered.some(({ name }) => name === TOOL_SEARCH);
      const others = offered.length - 1;
      const mayBeHeld = (name: string): boolean => searchable.has(name) && (rareNames.has(name) ? others > FEW : others > MANY);
      if (!isFindable || !offered.some(({ name }) => mayBeHeld(name))) return offered.filter(({ name }) => name !== TOOL_SEARCH);
      // The same bytes whatever was found: all that may be held back, and not what is.
      const names = offered.flatMap(({ name }) => (rareNames.has(name) && mayBeHeld(name) ? [name] : []));
      return offered.flatMap((each) => {
        if (each.name === TOOL_SEARCH && names.length > 0) return [{ ...each, description: `${each.description} Among them: ${names.join(", ")}.` }];
        return mayBeHeld(each.name) && !kept.has(each.name) ? [] : [each];
      });
    },
  };
}

/** Names, the best first. */
function findIn(searchable: ReadonlyMap<string, Words>, query: string): readonly string[] {
  const wanted = [...new Set(wordsIn(query))].filter((word) => !COMMON.has(word));
  // What few tools have tells more than what many have.
  const weights = wanted.map((word) => ({ word, of: [...searchable.values()].filter((words) => scoreOf(word, words) > 0).length }));
  return [...searchable]
    .map(([name, words]) => ({ name, score: weights.reduce((sum, { word, of }) => sum + scoreOf(word, words) / Math.max(1, of), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
    .map(({ name }) => name);
}

type Words = { readonly name: readonly string[]; readonly description: readonly string[] };

function wordsOf({ name, description }: Named): Words {
  return { name: wordsIn(name), description: wordsIn(description) };
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A word of a name says more than one of a description; the beginning of a word is worth half of it. */
function scoreOf(wanted: string, { name, description }: Words): number {
  const of = (words: readonly string[]): number =>
    words.includes(wanted) ? 2 : wanted.length > 2 && words.some((word) => word.startsWith(wanted) || (word.length > 2 && wanted.startsWith(word))) ? 1 : 0;
  return 3 * of(name) + of(description);
}

function said(text: string): ToolResult {
  return { content: [{ kind: "text", text }], isError: false, label: "trusted" };
}
