import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { toolSearchSchema } from "../contract/input-schemas.ts";
import type { Tool, ToolResult } from "../contract/tool.ts";

/** Of more tools than these a model is shown Warder's, and those that it found. */
const MAX_SHOWN = 40;
/** Of one search. */
const MAX_FOUND = 8;
/** Of all searches; beyond them the one that was found longest ago is shown no more. */
const MAX_KEPT = 64;

type Named = Pick<Tool, "name" | "description">;

export type ToolSearch = {
  readonly tool: Tool<typeof toolSearchSchema>;
  /** Of the tools that are offered, in their order, those that a model is shown now. */
  readonly shown: <Definition extends Named>(offered: readonly Definition[]) => readonly Definition[];
  /** Shows tools from now on, those that may be searched for. */
  readonly show: (names: readonly string[]) => void;
};

export const TOOL_SEARCH = "tool_search";

/**
 * Finds tools of a program that embeds Warder, where it brings many. It hides nothing from the policy: a call is judged the same, whether its tool is shown or
 * not. `refuses`: why a tool is not offered; such a one is not found.
 */
export function toolSearch(own: readonly Named[], refuses: (name: string) => string | null): ToolSearch {
  const searchable = new Map(own.map((each) => [each.name, wordsOf(each)]));
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
      "There are more tools than you are shown. Finds them by words of their names and descriptions; you can call what it finds from your next turn on.",
    schema: toolSearchSchema,
    traits: { exclusiveSandbox: false, countsTowardCallLimit: false, tier: "read-only", history: { summaryArgument: "query" } },
    execute({ query }): ToolResult {
      const wanted = [...new Set(wordsIn(query))];
      // What few tools have tells more than what many have.
      const weights = wanted.map((word) => ({ word, of: [...searchable.values()].filter((words) => scoreOf(word, words) > 0).length }));
      const found = [...searchable]
        .map(([name, words]) => ({ name, score: weights.reduce((sum, { word, of }) => sum + scoreOf(word, words) / Math.max(1, of), 0) }))
        .filter(({ name, score }) => score > 0 && refuses(name) === null)
        .toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
        .slice(0, MAX_FOUND)
        .map(({ name }) => name);
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
      if (!isFindable || offered.length - 1 <= MAX_SHOWN) return offered.filter(({ name }) => name !== TOOL_SEARCH);
      return offered.filter(({ name }) => !searchable.has(name) || kept.has(name));
    },
  };
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
