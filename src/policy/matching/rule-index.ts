import type { SimpleCommand } from "../../shell/model/model.ts";
import type { CommandView, CompiledRule } from "./command-rules.ts";

/** Rules that begin with the same words. `here`: those that end after them, or go on with a pattern, by their places in the list. */
type Branch = { readonly here: number[]; readonly next: Map<string, Branch> };

/** Rules by the words that they begin with: which of many may be about a command, without a look at each. Whether one is about it, it does not say. */
export class RuleIndex {
  readonly #rules: readonly CompiledRule[];
  readonly #root: Branch = { here: [], next: new Map() };

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
    for (const [place, { words }] of rules.entries()) {
      let branch = this.#root;
      for (const { text } of words) {
        if (text === null) break;
        branch = branchFor(branch, text);
      }
      branch.here.push(place);
    }
  }

  /** All that may match a command as deny and ask rules see it, in their order; others, too. */
  matching(view: CommandView): readonly CompiledRule[] {
    const found = new Set<number>();
    for (const elements of view) {
      const texts = elements.map((element) => (element.kind === "one" ? element.text : null));
      // Options before the second word may be left out, each with a value: the rule's second word is any of those that follow.
      const hasOptions = texts[1]?.startsWith("-") === true;
      this.#follow(hasOptions ? texts.slice(0, 1) : texts, found);
      const first = hasOptions ? this.#root.next.get(texts[0] ?? "") : undefined;
      if (first === undefined) continue;
      for (const text of texts.slice(1)) addAll(text === null ? first : first.next.get(text), found);
    }
    return this.#inOrder(found);
  }

  /** All that may cover a command, in their order; others, too. */
  covering({ argv }: SimpleCommand): readonly CompiledRule[] {
    const found = new Set<number>();
    this.#follow(
      argv.map((word) => (word.kind === "literal" ? word.value : null)),
      found,
    );
    return this.#inOrder(found);
  }

  /** As far as the words are known. Null: a word that may be any. */
  #follow(texts: readonly (string | null)[], found: Set<number>): void {
    let branch: Branch | undefined = this.#root;
    for (const text of texts) {
      if (text === null) return addAll(branch, found);
      for (const place of branch.here) found.add(place);
      branch = branch.next.get(text);
      if (branch === undefined) return;
    }
    for (const place of branch.here) found.add(place);
  }

  #inOrder(found: ReadonlySet<number>): readonly CompiledRule[] {
    if (found.size === this.#rules.length) return this.#rules;
    return [...found].toSorted((one, other) => one - other).map((place) => this.#rules[place] as CompiledRule);
  }
}

function branchFor(branch: Branch, text: string): Branch {
  const known = branch.next.get(text);
  if (known !== undefined) return known;
  const made: Branch = { here: [], next: new Map() };
  branch.next.set(text, made);
  return made;
}

function addAll(branch: Branch | undefined, found: Set<number>): void {
  if (branch === undefined) return;
  for (const place of branch.here) found.add(place);
  for (const next of branch.next.values()) addAll(next, found);
}
