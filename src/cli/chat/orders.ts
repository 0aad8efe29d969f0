import { openReview } from "../../app/review/changes.ts";
import { undoLast } from "../../app/review/undo.ts";
import { readStory } from "../../app/story/story.ts";
import { withRecords } from "../../app/records/records.ts";
import type { WorkspaceContext } from "../../app/setup/context.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { reviewAtTerminal } from "../commands/review.ts";
import { stateOf } from "../commands/runs.ts";
import { changeLines, diffLines, MAX_DIFF_BYTES, summaryLine, undoneText } from "../view/changes.ts";
import { runTable } from "../view/run-table.ts";
import { counted, usdText } from "../view/style.ts";
import { type Entry, word } from "./conversation/entry.ts";
import { helpLines, type OrderName } from "./conversation/typed.ts";

/** What an order looks at. */
export type OrderSetting = {
  readonly runId: string | null;
  readonly context: WorkspaceContext;
  readonly columns: number;
  readonly lend: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  readonly signal: AbortSignal;
};

/** Of a diff at once: the rest is read with `warder changes diff`. */
const MAX_DIFF_LINES = 200;
const MAX_RUNS = 8;
const MAX_LISTED = 1_000;

const NO_RUN: readonly Entry[] = [word("No run yet: the first message begins one.", "quiet")];

type Order = (setting: OrderSetting, rest: string) => Promise<readonly Entry[]>;

/** Orders that only look, or that change nothing of the conversation. */
export const LOOKS: Readonly<Record<Exclude<OrderName, "later" | "resume" | "new" | "quit">, Order>> = {
  help: () => Promise.resolve([lines(helpLines())]),
  policy: ({ context }) => Promise.resolve([lines(policyLines(context))]),
  cost: async ({ runId }) => (runId === null ? NO_RUN : await cost(runId)),
  changes: async ({ runId }, rest) => (runId === null ? NO_RUN : await changes(runId, rest === "diff")),
  apply: async ({ runId, lend, signal }) => {
    if (runId === null) return NO_RUN;
    const isLanded = await lend(() => reviewAtTerminal(runId, signal));
    return isLanded === null ? [word("Nothing landed; the changes wait.", "quiet")] : [];
  },
  undo: async ({ runId }) => (runId === null ? NO_RUN : [textLines(undoneText(await undoLast(runId, []), runId))]),
};

function lines(all: readonly string[]): Entry {
  return { kind: "lines", lines: all };
}

function textLines(text: string): Entry {
  return lines(text.trimEnd().split("\n"));
}

async function changes(runId: string, hasDiff: boolean): Promise<readonly Entry[]> {
  const review = await openReview(runId);
  try {
    const all = await review.list([]);
    const so = review.isGoing ? "so far " : "";
    if (all.length === 0) return [word(`No changes ${so === "" ? "wait" : "so far"}.`)];
    if (!hasDiff) return [textLines(changeLines(all) + summaryLine(all))];
    const diff = diffLines(makeVisible(await review.diff(MAX_DIFF_BYTES, [])));
    const more = diff.length - MAX_DIFF_LINES;
    const rest = more > 0 ? [word(`and ${counted(more, "line")} more: warder changes diff ${runId}`, "quiet")] : [];
    return [lines(diff.slice(0, MAX_DIFF_LINES)), ...rest];
  } finally {
    await review.close();
  }
}

async function cost(runId: string): Promise<readonly Entry[]> {
  const { models, usd, turns } = await readStory(runId, null);
  const tokens = models.reduce((sum, share) => sum + share.tokens, 0);
  const shares =
    models.length < 2 ? [] : models.map((share) => `  ${makeVisibleLine(share.model)}: ${counted(share.turns, "turn")}, ${counted(share.tokens, "token")}`);
  const money = usd === null ? "the price is not known" : `${usdText(usd)} US dollars`;
  return [lines([`${counted(turns.length, "turn")}, ${counted(tokens, "token")}, ${money}`, ...shares])];
}

function policyLines({ policy, workspace }: WorkspaceContext): readonly string[] {
  const { network, runtime } = policy.sandbox;
  const { run } = policy.limits;
  const hosts = network.allow.length === 0 ? "no network" : `network: ${counted(network.allow.length, "host")}`;
  return [
    `${policy.name} (sha256:${policy.digest.slice(0, 12)}…), autonomy ${policy.autonomy}`,
    `files: ${policy.files.join(", ")}`,
    `workspace: ${workspace}, ${policy.sandbox.workspace}; ${runtime}, ${hosts}`,
    `limits of the run: ${counted(run.turns, "turn")}, ${counted(run.tokens, "token")}, ${counted(run.minutes, "minute")}`,
    "Why a command is decided as it is: warder policy explain COMMAND",
  ].map(makeVisibleLine);
}

/** The runs of a workspace that can be gone on with or asked for more, the newest first. */
export function runsHere(context: WorkspaceContext, columns: number): readonly Entry[] {
  const rows = withRecords(({ store }) => store.runs.list(MAX_LISTED).filter(({ workspace, task }) => workspace === context.workspace && task !== null));
  if (rows.length === 0) return [word("No run of this workspace yet.", "quiet")];
  const table = runTable(
    rows.slice(0, MAX_RUNS).map((row) => ({ ...row, state: stateOf(row) })),
    columns,
  );
  return [textLines(table), word("Go on with one: /resume RUN", "quiet")];
}

/** What a run was about, and what was said last, for whoever comes back to it. */
export async function runReminder(runId: string): Promise<readonly Entry[]> {
  const { task, turns, ending } = await readStory(runId, null);
  const said = turns.findLast((turn) => turn.said !== "")?.said;
  return [
    word(`${runId} (${ending}), ${counted(turns.length, "turn")}`, "quiet"),
    { kind: "person", text: makeVisible(task), note: "" },
    ...(said === undefined ? [] : [{ kind: "model", text: makeVisible(said), isFirst: true } as const]),
  ];
}
