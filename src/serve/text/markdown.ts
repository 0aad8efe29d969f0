import { cutMiddle } from "../../base/cut.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";

// An editor shows text as Markdown, and would load the images in it.
const MAX_BLOCK_CHARACTERS = 20_000;
const MAX_INLINE_CHARACTERS = 160;

/** Text of unknown origin as a block of code: nothing in it ends the block. */
export function codeBlock(text: string): string {
  const shown = makeVisible(cutMiddle(text, MAX_BLOCK_CHARACTERS));
  const fence = "`".repeat(Math.max(3, longestTicks(shown) + 1));
  return `${fence}\n${shown}\n${fence}`;
}

/** The same within a line. */
export function inlineCode(text: string): string {
  const shown = makeVisibleLine(text.length > MAX_INLINE_CHARACTERS ? `${text.slice(0, MAX_INLINE_CHARACTERS)}…` : text);
  const ticks = "`".repeat(longestTicks(shown) + 1);
  return ticks.length === 1 ? `\`${shown}\`` : `${ticks} ${shown} ${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
}
