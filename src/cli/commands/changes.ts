import { openReview, type RunReview } from "../../app/review/changes.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, visibleJson } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { counted } from "../view/style.ts";
import { branchText, changeLines, diffLines, landedText, MAX_DIFF_BYTES, summaryLine } from "../view/changes.ts";

type Action = "list" | "diff" | "apply" | "discard";
type Options = { readonly json?: boolean; /** True: without a name. */ readonly branch?: string | true };

/** `warder changes list|diff|apply|discard RUN [PATHS]`. `apply` exits 1 when something was left out. Throws `usage` for paths beside `--branch`. */
export async function changes(action: Action, words: readonly string[], options: Options): Promise<number> {
  const [runId = "", ...paths] = words;
  const review = await openReview(runId);
  try {
    if (options.branch !== undefined) return await branch(review, paths, options);
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
  else if (all.length === 0) write(review.isGoing ? "It is still going. No changes so far.\n" : "No changes.\n");
  else write(`${review.isGoing ? "It is still going. So far:\n" : ""}${changeLines(all)}${summaryLine(all)}`);
  return EXIT.done;
}

async function diff(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const text = await review.diff(MAX_DIFF_BYTES, paths);
  if (isJson) writeJson({ diff: text });
  else write(diffLines(makeVisible(text)).join("\n"));
  return EXIT.done;
}

async function apply(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const report = await review.apply(paths);
  if (isJson) writeJson(report);
  else write(landedText(report));
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function branch(review: RunReview, paths: readonly string[], options: Options): Promise<number> {
  if (paths.length > 0) throw new AgentError("usage", "A branch holds everything that the run did: name no paths beside --branch.");
  const report = await review.branch(typeof options.branch === "string" ? options.branch : null);
  if (options.json === true) writeJson(report);
  else write(branchText(report));
  return report.refused.length === 0 ? EXIT.done : EXIT.failed;
}

async function discard(review: RunReview, paths: readonly string[], isJson: boolean): Promise<number> {
  const discarded = await review.discard(paths);
  if (isJson) writeJson({ discarded: discarded?.length ?? null });
  else write(`${discarded === null ? "All changes" : counted(discarded.length, "change")} discarded\n`);
  return EXIT.done;
}

function writeJson(value: unknown): void {
  write(`${visibleJson(value)}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}
