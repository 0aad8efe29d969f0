/** What was no UTF-8 arrives as U+FFFD, and whoever runs the text runs other bytes: a file of that name may be a link to anywhere. */
export const LOST = "is not UTF-8, or holds U+FFFD, which stands for characters that were lost";

export function isLost(text: string): boolean {
  return text.includes("\uFFFD");
}
