import { openReview, type RunReview } from "../../app/review/changes.ts";
import { chooseAtTerminal } from "../../approvals/terminal/choose.ts";
import { wrapped } from "../../approvals/card-rows.ts";
import type { FlaggedChange } from "../../landing/review/review.ts";
import { diffLines, landedLine, landedText, MAX_DIFF_BYTES } from "../view/changes.ts";
import { reviewRows, reviewScreen } from "../view/review-screen.ts";

/**
 * Shows a person at the terminal what a run changed, with its flags, and lands it by one key, as `warder changes apply` does. Says whether all of it landed;
 * null: it is kept for later, because they said so, or nobody is there.
 */
export async function reviewAtTerminal(runId: string, signal: AbortSignal): Promise<boolean | null> {
  const review = await openReview(runId);
  try {
    const all = await review.list([]);
    if (all.length === 0 || (await askAtTerminal(review, all, signal)) !== "l") return null;
    const report = await review.apply([]);
    process.stdout.write(landedText(report) + landedLine(runId, report, review.count()));
    return report.refused.length === 0;
  } finally {
    await review.close();
  }
}

/** The key that a person chose when they saw these changes: `l` lands; null: nobody is there. */
export async function askAtTerminal(review: RunReview, all: readonly FlaggedChange[], signal: AbortSignal): Promise<string | null> {
  return await chooseAtTerminal(
    {
      screen: ({ columns, rows }, reserved) => reviewScreen(all, { columns, rows: rows - reserved - 1 }),
      prompt: "Land it? ",
      choices: new Map([
        ["l", "[l]and all"],
        ["d", "[d]iff"],
        ["v", "[v]iew the list"],
        ["k", "[k]eep for later"],
      ]),
      afterAll: new Set(["l"]),
      pages: {
        v: (columns) => reviewRows(all, columns),
        d: async (columns) => diffLines(await review.diff(MAX_DIFF_BYTES, []), (line) => wrapped(line, columns)),
      },
    },
    signal,
  );
}
