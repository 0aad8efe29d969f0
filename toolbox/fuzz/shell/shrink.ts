import { tokensOf } from "./texts/mutation.ts";

const MOST_TRIALS = 300;

/**
 * The smallest text that still fails, found by taking pieces away: tokens first, in ever smaller runs, then
 * characters. A text that does not fail when it is tried again is given back as it was.
 */
export async function shrinkText(text: string, isFailing: (candidate: string) => Promise<boolean>): Promise<string> {
  const trials = { left: MOST_TRIALS };
  const attempt = async (candidate: string): Promise<boolean> => {
    trials.left -= 1;
    return trials.left >= 0 && candidate !== "" && (await isFailing(candidate));
  };
  if (!(await attempt(text))) return text;
  const shorter = await removeRuns(tokensOf(text), attempt);
  const shortest = await removeRuns([...shorter.join("")], attempt);
  return shortest.join("");
}

async function removeRuns(pieces: readonly string[], isFailing: (candidate: string) => Promise<boolean>): Promise<readonly string[]> {
  let kept = pieces;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const candidate = [...kept.slice(0, at), ...kept.slice(at + size)];
      // One after the other: each trial starts from what the one before it left.
      // oxlint-disable-next-line no-await-in-loop
      if (await isFailing(candidate.join(""))) kept = candidate;
      else at += size;
    }
  }
  return kept;
}
