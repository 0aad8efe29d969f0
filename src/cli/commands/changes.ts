import { openReview, type RunReview } from "../../app/review/changes.ts";
import { undoLast } from "../../app/review/undo.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, visibleJson } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { withInterrupt } from "../process/interrupt.ts";
import {
  adviceLine,
  branchText,
  changeLines,
  conflictsText,
  diffLines,
  landedLine,
  landedText,
  MAX_DIFF_BYTES,
  rebasedText,
  summaryLine,
  unaskedText,
  partHint,
  undoHint,
  undoneText,
  waitingLine,
} from "../view/changes.ts";
import { reviewText } from "../view/run-summary.ts";
import { counted } from "../view/style.ts";
import { askAtTerminal } from "./review.ts";

type Action = "list" | "diff" | "apply" | "discard" | "undo" | "rebase";
type Options = {
  readonly json?: boolean;
  /** True: without a name. */ readonly branch?: string | true;
  /** Into the files that lie there. */ readonly checkout?: boolean;
  /** Whoever typed it knows what is flagged. */ readonly yes?: boolean;
};
type Asked = { readonly review: RunReview; readonly run: string; readonly paths: readonly string[]; readonly options: Options };

/**
 * `warder changes list|diff|apply|discard|undo RUN [PATHS]`, and `rebase RUN`, which exits 1 for a conflict. `apply` and `undo` exit 1 when something was left out, and `apply` 3 when a person would be asked and
 * nobody is there. Throws `usage` for paths beside `--branch`.
 */
export async function changes(action: Action, words: readonly string[], options: Options): Promise<number> {
  const [run = "", ...paths] = words;
  if (action === "undo") return await undo(run, paths, options.json === true);
  const review = await openReview(run);
  try {
    return await ACTIONS[action]({ review, run, paths, options });
  } finally {
    await review.close();
  }
}

const ACTIONS: Readonly<Record<Exclude<Action, "undo">, (asked: Asked) => Promise<number>>> = { list, diff, apply, discard, rebase };

async function list({ review, run, paths, options }: Asked): Promise<number> {
  const all = await review.list(paths);
  if (options.json === true) writeJson({ changes: all });
  else if (review.isGoing)
    write(all.length === 0 ? "It is still going. No changes so far.\n" : `It is still going. So far:\n${changeLines(all)}${summaryLine(all)}`);
  else
    write(
      all.length === 0 ? "No changes.\n" : `${changeLines(all)}${summaryLine(all)}${reviewText(run, review.isForBranch)}\n${adviceLine(review.undoAdvice())}`,
    );
  return EXIT.done;
}

async function diff({ review, paths, options }: Asked): Promise<number> {
  const text = await review.diff(MAX_DIFF_BYTES, paths);
  if (options.json === true) writeJson({ diff: text });
  else write(diffLines(makeVisible(text)).join("\n"));
  return EXIT.done;
}

/** What nobody looked at while it was made goes to a branch, unless somebody says otherwise, or names a part of it. */
async function apply(asked: Asked): Promise<number> {
  const { review, run, paths, options } = asked;
  if (options.branch !== undefined || (review.isForBranch && paths.length === 0 && options.checkout !== true)) return branch(asked);
  const unasked = options.yes === true || review.isGoing ? [] : await review.toAskAbout(paths);
  const answer = unasked.length === 0 ? "l" : options.json === true ? null : await withInterrupt((signal) => askAtTerminal(review, unasked, signal));
  if (answer === null) {
    const refused = unasked.map((change) => ({ change, reason: "It is flagged, and nobody was asked: --yes, or its own path, lands it." }));
    if (options.json === true) writeJson({ applied: [], refused, unkept: [] });
    else write(unaskedText(run, unasked));
    return EXIT.denied;
  }
  if (answer !== "l") {
    write(landedLine(run, { applied: [], unkept: [] }, review.count()));
    return EXIT.failed;
  }
  const report = await review.apply(paths);
  if (options.json === true) writeJson(report);
  else write(landedText(report) + landedLine(run, report, review.count()));
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function branch({ review, run, paths, options }: Asked): Promise<number> {
  if (paths.length > 0) throw new AgentError("usage", "A branch holds everything that the run did: name no paths beside --branch.");
  const report = await review.branch(typeof options.branch === "string" ? options.branch : null);
  if (options.json === true) writeJson(report);
  else write(branchText(run, report));
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function discard({ review, run, paths, options }: Asked): Promise<number> {
  // Of no paths nothing is left, and all changes may be too many to be counted.
  const before = paths.length === 0 ? null : review.count();
  const discarded = await review.discard(paths);
  if (options.json === true) writeJson({ discarded: discarded?.length ?? null });
  else if (discarded === null) write(`All changes discarded. Nothing waits.\n${undoHint(run, "discard")}`);
  else {
    const waiting = before === null ? 0 : before - discarded.length;
    write(`${counted(discarded.length, "change")} discarded. ${waitingLine(run, waiting)}${waiting === 0 ? undoHint(run, "discard") : partHint()}`);
  }
  return EXIT.done;
}

async function undo(runId: string, paths: readonly string[], isJson: boolean): Promise<number> {
  const report = await undoLast(runId, paths);
  if (isJson) writeJson(report);
  else write(undoneText(report, runId));
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function rebase({ review, run, options }: Asked): Promise<number> {
  const report = await review.rebase();
  if (options.json === true) writeJson(report);
  else write(report.kind === "conflicts" ? conflictsText(run, report) : `${rebasedText(run, report)}${reviewText(run, review.isForBranch)}\n`);
  return report.kind === "rebased" ? EXIT.done : EXIT.failed;
}

function writeJson(value: unknown): void {
  write(`${visibleJson(value)}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}
