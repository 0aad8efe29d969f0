/** What a job wrote, both streams in the order they came; of much output the last part. */
export type JobOutput = {
  add(text: string): void;
  /** Characters written so far. */
  written(): number;
  /** At most `maxCharacters` from the character `from`, or from the first that is still kept. */
  read(from: number, maxCharacters: number): { readonly text: string; readonly from: number; readonly next: number };
};

/** @param maxCharacters what is kept */
export function createJobOutput(maxCharacters: number): JobOutput {
  let kept = "";
  let written = 0;
  return {
    add: (text) => {
      written += text.length;
      kept += text;
      // Not with every piece: to cut a long text costs its length.
      if (kept.length > 2 * maxCharacters) kept = kept.slice(-maxCharacters);
    },
    written: () => written,
    read: (from, max) => {
      const first = Math.min(Math.max(from, written - Math.min(kept.length, maxCharacters)), written);
      const at = kept.length - (written - first);
      const text = whole(kept.slice(at, at + max));
      return { text, from: first, next: first + text.length };
    },
  };
}

/** Without half of a character at its end: the next read begins with it. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.length > 1 && last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
