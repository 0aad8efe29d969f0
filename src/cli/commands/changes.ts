import { openReview, type RunReview } from "../../app/changes.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { EXIT } from "../exit-code.ts";
import { paint } from "../style.ts";
import { changeLines, summaryLine } from "../change-lines.ts";

const MAX_DIFF_BYTES = 8 * 1024 * 1024;

type Action = "list" | "diff" | "apply" | "discard";
type Options = { readonly json?: boolean };

/** `warder changes list|diff|apply|discard RUN [PATHS]`. `apply` exits 1 when something was left out. */
export async function changes(action: Action, words: readonly string[], options: Options): Promise<number> {
  const [runId = "", ...paths] = words;
  const review = await openReview(runId);
  try {
    return await ACTIONS[action](review, paths, options.json === true);
  } finally {
    await review.close();
  }
}

type Perform = (review: RunReview, paths: readonly string[], isJson: boolean) => Promise<number>;

const ACTIONS: Readonly<Record<Action, Perform>> = { list, diff, apply, discard };

async function list(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const all = await review.list(paths);
  if (isJson) writeJson({ changes: all });
  else if (all.length === 0) write("No changes.\n");
  else write(all.flatMap((change) => changeLines(change)).join("") + summaryLine(all));
  return EXIT.done;
}

async function diff(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const text = await review.diff(MAX_DIFF_BYTES, paths);
  if (isJson) writeJson({ diff: text });
  else write(colour(makeVisible(text)));
  return EXIT.done;
}

async function apply(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const flags = new Map((await review.list(paths)).map((change) => [keyOf(change), change.flags]));
  const report = await review.apply(paths);
  const flagged = (change: Change) => ({ ...change, flags: flags.get(keyOf(change)) ?? [] });
  if (isJson) writeJson({ applied: report.applied.map(flagged), refused: report.refused.map(({ change, reason }) => ({ change: flagged(change), reason })) });
  else {
    for (const change of report.applied) write(changeLines(flagged(change), paint("green", "applied  ")).join(""));
    for (const { change, reason } of report.refused)
      write(
        `${paint("red", "left out ")} ${changeLines({ ...change, flags: [] })
          .join("")
          .trimEnd()}: ${makeVisibleLine(reason)}\n`,
      );
  }
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function discard(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const discarded = await review.discard(paths);
  if (isJson) writeJson({ discarded: discarded.length });
  else write(`${String(discarded.length)} changes discarded\n`);
  return EXIT.done;
}

/** What was replaced by another type is two changes of one path. */
function keyOf(change: Change): string {
  return `${change.kind} ${change.path}`;
}

function colour(diff: string): string {
  return diff.split("\n").map(colourLine).join("\n");
}

function colourLine(line: string): string {
  if (line.startsWith("! ")) return paint(["bold", "red"], line);
  if (line.startsWith("+")) return paint("green", line);
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("@@") ? paint("cyan", line) : line;
}

function writeJson(value: unknown): void {
  write(`${JSON.stringify(value)}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}
