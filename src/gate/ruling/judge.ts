import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { Decision, Verdict } from "../../policy/decision.ts";
import { decideNarrowed } from "../../policy/deciding/narrowing.ts";
import type { Label } from "../../policy/label.ts";
import type { Facts } from "../../policy/facts.ts";
import type { Policy } from "../../policy/policy.ts";
import type { CallRequest, Request } from "../../policy/request.ts";
import { analyseCommand } from "../../shell/analyse.ts";
import type { ToolRequest, ToolSetting } from "../../tools/contract/tool.ts";
import type { FactSource } from "../facts/fact-source.ts";
import { isOfServer, measure, NOTHING_MEASURED, type Measured } from "../facts/measure.ts";
import { refusal } from "./refusal.ts";
import { withoutAbsent } from "../facts/conditional-effects.ts";

/** A `make` that calls `npm run` that calls `make` needs a text each; what needs more stays undecided. */
const MAX_ANALYSIS_ROUNDS = 3;
const MAX_TEXTS = 32;

/** Everything a verdict depends on besides the call. */
export type Bench = {
  readonly policy: Policy;
  /** Policies that bind each call beside it, and that the sandbox was not made from; absent: none. */
  readonly narrowing?: () => readonly Policy[];
  readonly setting: ToolSetting;
  readonly source: FactSource;
  readonly containment: "profile" | "none";
  readonly isSandboxReady: boolean;
  readonly ownPaths: readonly string[];
  readonly clock: Clock;
  isStopped(tool: string): boolean;
  isNetworkStopped(): boolean;
  actionsLeft(): number | null;
  asksLeft(): number | null;
  /** How often each rule with a limit was used within it, by its id; null: no run counts. */
  uses(): ReadonlyMap<string, number> | null;
  /** Of all that the model has been given; null: nobody knows. */
  labels(): readonly Label[] | null;
};

/** How often a call is looked at anew because a file that it rests on changed under the look. */
const MAX_LOOKS = 3;

export type Judgement = {
  readonly call: CallRequest;
  readonly measured: Measured;
  readonly decision: Decision;
  /** What narrower policies say at their strictest; absent: none binds. */ readonly narrowing?: Verdict;
};

/**
 * Analyses, measures and decides what a tool asked for. Runs nothing. A script is read once for the analysis and once for the digest that the
 * decision is bound to: both must have seen the same text, or one script would be judged and another one run.
 */
export async function judge(bench: Bench, tool: string, wanted: readonly ToolRequest[]): Promise<Judgement> {
  let changed = "";
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const analyses = await Promise.all(wanted.map((request) => analysed(bench, request)));
    const requests = analyses.map(({ request }) => request);
    const measured = await measure(bench, requests);
    // What a server's command depends on was not looked at: it stays as it may be.
    const known = { ...measured, measured: bench.source.measured };
    const call = { tool, requests: requests.map((request) => (isOfServer(request) ? request : withoutAbsent(request, known))) };
    const other = analyses.flatMap(({ texts }) => [...texts]).find(([path, text]) => text !== null && measured.files.get(path) !== sha256(text));
    if (other === undefined) return { call, measured, ...decideNarrowed(bench.policy, bench.narrowing?.() ?? [], call, factsOf(bench, tool, measured)) };
    [changed] = other;
  }
  const decision = refusal(
    "facts-changed",
    `${changed} changes while it is looked at, so nobody can say what this would run.`,
    "the same call when nothing changes that file",
  );
  return { call: { tool, requests: [] }, measured: NOTHING_MEASURED, decision };
}

/** What was measured, as the policy sees it. */
export function factsOf(bench: Bench, tool: string, measured: Measured): Facts {
  const [labels, uses] = [bench.labels(), bench.uses()];
  return {
    measured: bench.source.measured,
    containment: bench.containment,
    nowMs: bench.clock.nowMs(),
    isStopped: bench.isStopped(tool),
    isNetworkStopped: bench.isNetworkStopped(),
    isSandboxReady: bench.isSandboxReady,
    actionsLeft: bench.actionsLeft(),
    asksLeft: bench.asksLeft(),
    paths: measured.paths,
    served: new Map([...measured.served].map(([server, { paths }]) => [server, paths])),
    publicOnly: bench.source.publicOnly,
    publicHeld: bench.source.publicHeld,
    ...(bench.source.privateKeys === null ? {} : { privateKeys: bench.source.privateKeys }),
    ...(labels === null ? {} : { labels }),
    ...(uses === null ? {} : { uses }),
    home: bench.setting.home,
    ownPaths: bench.ownPaths,
  };
}

/** A request, and the texts of files that its analysis rests on. */
type Analysed = { readonly request: Request; readonly texts: ReadonlyMap<string, string | null> };

async function analysed(bench: Bench, request: ToolRequest): Promise<Analysed> {
  if (request.kind !== "command") return { request, texts: new Map() };
  const texts = new Map<string, string | null>();
  const context = { cwd: request.cwd, home: bench.setting.home };
  // The run's sandbox shows none of the files that a server's command would run.
  if (request.place !== undefined) return { request: { ...request, analysis: analyseCommand(request.text, context) }, texts: new Map() };
  let analysis = analyseCommand(request.text, context);
  for (let round = 0; round < MAX_ANALYSIS_ROUNDS; round += 1) {
    const needed = analysis.needs.filter((path) => !texts.has(path)).slice(0, MAX_TEXTS - texts.size);
    if (needed.length === 0) break;
    const found = await bench.source.texts(needed);
    for (const path of needed) texts.set(path, found.get(path) ?? null);
    analysis = analyseCommand(request.text, { ...context, texts });
  }
  return { request: { kind: "command", text: request.text, cwd: request.cwd, analysis }, texts };
}
