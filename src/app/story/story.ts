import { existsSync } from "node:fs";
import { join } from "node:path";
import { redactSecrets } from "../../audit/entries/redact.ts";
import type { AuditRecord } from "../../audit/entries/entry.ts";
import { tailAudit } from "../../audit/log/read.ts";
import { AgentError } from "../../base/errors.ts";
import { cutMiddle } from "../../base/cut.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { readPriceFile } from "../../config/prices.ts";
import { parseModelName } from "../../providers/contract/model-name.ts";
import { priceOf } from "../../providers/prices/lookup.ts";
import type { RunRow } from "../../store/rows/runs.ts";
import { type ModelShare, sharesOf, totalUsd } from "../models/spent.ts";
import { withRecords, type Records } from "../records/records.ts";
import { openReview } from "../review/changes.ts";
import { descendantsOf } from "../children/family.ts";
import { allSteps, callsIn, type KeptSteps, readSteps, type StoredStep } from "../run/journal.ts";
import { turnPoints } from "../turns/points.ts";
import { callStories, type CallStory } from "./call-story.ts";
import { todoOf, type TodoStory } from "./todo.ts";

/** What the model said at once, and what it called. */
export type TurnStory = {
  /** From 1; null for what is not part of the conversation. */
  readonly turn: number | null;
  /** `taken-back`: a rewind did. `forgotten`: the conversation is no longer kept, and the log alone has the calls. */
  readonly standing: "holds" | "taken-back" | "forgotten";
  readonly model: string | null;
  readonly said: string;
  readonly tokens: number;
  readonly calls: readonly CallStory[];
  /** What the model was told afterwards, beside results: by Warder, or by a person. */
  readonly told: readonly string[];
};

/** A whole run for whoever was not there. All texts are of unknown origin, with secrets taken out. */
export type RunStory = {
  readonly run: string;
  readonly task: string;
  readonly workspace: string;
  readonly policy: { readonly name: string; readonly digest: string };
  readonly model: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly ending: string;
  /** The run that it is a sub-agent of; null for one of its own. */
  readonly parent: string | null;
  /** Its sub-agents, and theirs. */
  readonly children: readonly { readonly run: string; readonly parent: string; readonly task: string; readonly ending: string }[];
  /** What it told the person. */
  readonly messages: readonly string[];
  readonly turns: readonly TurnStory[];
  /** What it still had to do, by its own last word: a line each. Null: it kept no list. */
  readonly todo: TodoStory | null;
  /** The turns that the run can go back to, or be forked from; or what stands in the way. */
  readonly points: readonly { readonly turn: number; readonly obstacle: string | null }[];
  /** `RUN@TURN` that it began from; null: it began anew. */
  readonly forkedFrom: string | null;
  readonly switches: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  readonly models: readonly ModelShare[];
  /** Null: a price is not known. */
  readonly usd: number | null;
  /** What waits, `kind path` each; null: nothing is kept apart, or nothing is left. */
  readonly changes: readonly string[] | null;
  readonly diff: string | null;
  /** What landed or was thrown away, a line each. */
  readonly landings: readonly string[];
};

const MAX_RECORDS = 100_000;
const MAX_SAID_CHARACTERS = 20_000;

/** Tells a run from its log and its conversation. `maxDiffBytes`: of the changes that wait; null: without them. Throws `usage` for a run that there is none of. */
export async function readStory(run: string, maxDiffBytes: number | null): Promise<RunStory> {
  const told = withRecords((records) => storyOf(records, run));
  const waiting = told.hasChanges ? await changesOf(run, maxDiffBytes) : null;
  return { ...told.story, changes: waiting?.changes ?? null, diff: waiting?.diff ?? null };
}

type Told = { readonly story: Omit<RunStory, "changes" | "diff">; readonly hasChanges: boolean };

function storyOf({ store, audit }: Records, run: string): Told {
  const row = store.runs.byId(run);
  if (row === null) throw new AgentError("usage", `There is no run ${makeVisibleLine(run)}.`, { remedy: "See: warder runs" });
  const records = tailAudit(audit, { run, limit: MAX_RECORDS });
  const kept = readSteps(store, run);
  const before = ofBeginning({ store, audit }, row, kept.steps);
  const family = descendantsOf(store, run).map(({ row: child }) => child);
  // What sub-agents took is the run's own cost.
  const paid = [run, ...family.map(({ id }) => id)].flatMap((id) => allSteps(store, id));
  const models = modelsOf(row, paid, store.paths.directory);
  const points = row.task === null || row.parent !== null ? [] : turnPoints({ store, audit }, row);
  return {
    hasChanges: existsSync(join(store.paths.runs, run)),
    story: {
      run,
      task: redactSecrets(row.task ?? "(one command)"),
      workspace: row.workspace,
      policy: { name: row.policyName, digest: row.policyDigest },
      model: row.model ?? "none",
      startedAtMs: row.startedAtMs,
      endedAtMs: row.endedAtMs,
      ending: endingOf(row),
      parent: row.parent,
      children: family.map((child) => ({ run: child.id, parent: child.parent ?? "", task: redactSecrets(child.task ?? ""), ending: endingOf(child) })),
      messages: records.flatMap(({ kind, payload }) => (kind === "user-message" ? [redactSecrets(String(payload["text"]))] : [])),
      turns: turnsOf(row, kept, [...before, ...records]),
      todo: todoOf(kept.steps),
      points: points.map(({ turn, obstacle }) => ({ turn, obstacle: obstacle?.problem ?? null })),
      forkedFrom: row.forkedFrom,
      switches: records.flatMap(({ kind, payload }) =>
        kind === "model-switched" ? [{ from: String(payload["from"]), to: String(payload["to"]), reason: String(payload["reason"]) }] : [],
      ),
      models,
      usd: models.length === 0 ? null : totalUsd(models),
      landings: records.flatMap(landingLine),
    },
  };
}

function endingOf({ ending, parkedAtMs }: RunRow): string {
  return ending ?? (parkedAtMs === null ? "not ended" : "parked");
}

function modelsOf(row: RunRow, steps: readonly StoredStep[], state: string): readonly ModelShare[] {
  const own = readPriceFile(state);
  const [first = "none"] = (row.model ?? "none").split(",");
  const answers = steps.flatMap((step) => (step.kind !== "result" && step.usage !== undefined ? [{ model: step.model ?? first, usage: step.usage }] : []));
  return sharesOf(answers, (model) => priceNamed(model, own));
}

/** Of a provider of an embedding program nobody here knows what it costs. */
function priceNamed(model: string, own: ReturnType<typeof readPriceFile>): ReturnType<typeof priceOf> {
  try {
    return priceOf(parseModelName(model), process.env, own);
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}

/** What the logs of other runs say of the calls that this one began with. A call behind its beginning may have the name of one that the other run made later. */
function ofBeginning(records: Pick<Records, "store" | "audit">, { forkedFrom }: RunRow, steps: readonly StoredStep[]): readonly AuditRecord[] {
  const [source, turn] = forkedFrom?.split("@") ?? [];
  if (source === undefined) return [];
  const behind = steps.filter(({ kind }) => kind === "message")[Number(turn)]?.seq ?? Number.POSITIVE_INFINITY;
  const begun = steps.filter(({ seq }) => seq < behind);
  const calls = new Set(callsIn(begun));
  const row = records.store.runs.byId(source);
  const earlier = row === null ? [] : ofBeginning(records, row, begun);
  const made = tailAudit(records.audit, { run: source, limit: MAX_RECORDS });
  // The calls of its scripts, too.
  return [...earlier, ...made.filter(({ payload }) => calls.has(String(payload["call"]).replace(/\.\d+$/u, "")))];
}

function turnsOf(row: RunRow, { steps, takenBack }: KeptSteps, records: readonly AuditRecord[]): readonly TurnStory[] {
  const all = [...steps, ...takenBack].toSorted((one, other) => one.seq - other.seq);
  const gone = new Set(takenBack);
  const results = new Map(all.flatMap((step) => (step.kind === "result" ? [[step.part.callId, step.part] as const] : [])));
  const calls = callStories(records, results);
  const turns: TurnStory[] = [];
  let held = 0;
  for (const step of all) {
    const last = turns.at(-1);
    if (step.kind === "message") {
      const isGone = gone.has(step);
      if (!isGone) held += 1;
      turns.push({
        turn: isGone ? null : held,
        standing: isGone ? "taken-back" : "holds",
        model: step.model ?? row.model,
        said: redactSecrets(cutMiddle(step.text, MAX_SAID_CHARACTERS)),
        tokens: step.usage.inputTokens + step.usage.outputTokens,
        calls: step.parts.flatMap((part) => (part.kind === "tool-call" ? [calls.of(part), ...calls.within(part)] : [])),
        told: [],
      });
    } else if (step.kind === "note" && last !== undefined) turns[turns.length - 1] = { ...last, told: [...last.told, redactSecrets(step.text)] };
  }
  const rest = calls.rest();
  return rest.length === 0 ? turns : [{ turn: null, standing: "forgotten", model: row.model, said: "", tokens: 0, calls: rest, told: [] }, ...turns];
}

function landingLine({ kind, at, payload }: AuditRecord): readonly string[] {
  const by = String(payload["by"]);
  if (kind === "changes-applied") {
    const { applied, refused, branch } = payload;
    const counts = `${String(Array.isArray(applied) ? applied.length : 0)} landed, ${String(Array.isArray(refused) ? refused.length : 0)} left out`;
    return [`${at}: ${counts}${typeof branch === "string" ? `, on the branch ${branch}` : ""} (by ${by})`];
  }
  const { count } = payload;
  return kind === "changes-discarded" ? [`${at}: ${typeof count === "number" ? String(count) : "everything"} thrown away (by ${by})`] : [];
}

async function changesOf(run: string, maxDiffBytes: number | null): Promise<{ readonly changes: readonly string[]; readonly diff: string | null } | null> {
  try {
    const review = await openReview(run);
    try {
      const changes = (await review.list([])).map(({ kind, path }) => `${kind} ${path}`);
      return { changes, diff: maxDiffBytes === null ? null : redactSecrets(await review.diff(maxDiffBytes, [])) };
    } finally {
      await review.close();
    }
  } catch (error) {
    // It made none, or they landed or were thrown away, or another process looks at them.
    if (error instanceof AgentError) return null;
    throw error;
  }
}
