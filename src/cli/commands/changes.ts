import { openReview } from "../../app/changes.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { EXIT } from "../exit-code.ts";
import { paint } from "../style.ts";

const MAX_DIFF_BYTES = 8 * 1024 * 1024;

/** `warder changes list|diff|apply|discard RUN`. `apply` exits 1 when something was left out. */
export async function changes(action: "list" | "diff" | "apply" | "discard", runId: string, options: { json?: boolean }): Promise<number> {
  const review = await openReview(runId);
  try {
    switch (action) {
      case "list":
        return list(review.list(), options.json === true);
      case "diff": {
        const diff = await review.diff(MAX_DIFF_BYTES);
        process.stdout.write(options.json === true ? `${JSON.stringify({ diff })}\n` : colour(makeVisible(diff)));
        return EXIT.done;
      }
      case "apply": {
        const report = await review.apply();
        if (options.json === true) process.stdout.write(`${JSON.stringify(report)}\n`);
        else {
          for (const change of report.applied) process.stdout.write(`${paint("green", "applied")}  ${describe(change)}\n`);
          for (const { change, reason } of report.refused)
            process.stdout.write(`${paint("red", "left out")} ${describe(change)}: ${makeVisibleLine(reason)}\n`);
        }
        return report.refused.length === 0 ? EXIT.done : EXIT.failed;
      }
      case "discard": {
        const count = await review.discard();
        process.stdout.write(options.json === true ? `${JSON.stringify({ discarded: count })}\n` : `${count} changes discarded\n`);
        return EXIT.done;
      }
    }
  } finally {
    await review.close();
  }
}

function list(all: readonly Change[], isJson: boolean): number {
  if (isJson) process.stdout.write(`${JSON.stringify({ changes: all })}\n`);
  else if (all.length === 0) process.stdout.write("No changes.\n");
  else for (const change of all) process.stdout.write(`${describe(change)}\n`);
  return EXIT.done;
}

function describe(change: Change): string {
  return `${change.kind.padEnd(8)} ${makeVisibleLine(change.path)}${change.type === "file" ? "" : ` (${change.type})`}`;
}

function colour(diff: string): string {
  return diff
    .split("\n")
    .map((line) =>
      line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : line.startsWith("@@") ? paint("cyan", line) : line,
    )
    .join("\n");
}
