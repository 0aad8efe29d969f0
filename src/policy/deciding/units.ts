import { sha256 } from "../../base/digest.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import type { CommandAnalysis, Condition, Effect, HostOperand, PathOperand, SimpleCommand } from "../../shell/model/model.ts";
import type { Risk, Unit, UnitKind } from "../decision.ts";
import { isOrdinaryPath } from "../matching/paths.ts";
import type { CallRequest, Request, ServerPlace } from "../request.ts";

type CommandRequest = Extract<Request, { kind: "command" }>;

/** A unit, and what of the call it is decided by. */
export type UnitCase = {
  readonly unit: Unit;
  readonly path: PathOperand | null;
  /** Nothing is wrong with its literal path: `isOrdinaryPath`. False says nothing. */
  readonly isOrdinary: boolean;
  readonly host: HostOperand | null;
  readonly isWide: boolean;
  /** The command text that it belongs to; null for another request. */
  readonly request: CommandRequest | null;
  /** The simple command; null when it belongs to a text as a whole, or to no command. */
  readonly command: SimpleCommand | null;
  /** The text holds NUL, CR, a bidirectional mark or another character that a person does not see. */
  readonly hasHiddenText: boolean;
  /** What is a person's alone, whatever a policy says: to approve a plan, or to answer a question. Absent: neither. */
  readonly persons?: "plan" | "question";
  /** The MCP server that touches the path or runs the command; absent: the run does. */
  readonly server?: ServerPlace;
  /** Its risk, of what Warder itself does and bounds. Absent: that of its kind. */
  readonly level?: Risk;
};

const NOTHING = { path: null, isOrdinary: false, host: null, isWide: false, request: null, command: null, hasHiddenText: false } as const;

/** Of a task, in what is decided. */
const MAX_TASK = 200;

/** Everything that is to be decided about a call; never empty. */
export function unitsOf(call: CallRequest): readonly UnitCase[] {
  const [only] = call.requests;
  if (only?.kind === "command" && call.requests.length === 1) {
    const units = unitsOfCommand(only);
    if (units.length > 0) return units;
  }
  const units = call.requests.flatMap((request) => (request.kind === "command" ? unitsOfCommand(request) : [unitOfRequest(request)]));
  return units.length > 0 ? units : [{ ...NOTHING, unit: { kind: "call", subject: makeVisibleLine(call.tool), simple: null } }];
}

function unitOfRequest(request: Exclude<Request, CommandRequest>): UnitCase {
  const unit = (kind: UnitKind, subject: string): Unit => ({ kind, subject: makeVisibleLine(subject), simple: null });
  switch (request.kind) {
    case "read":
      return { ...NOTHING, unit: unit("reads", `reads ${request.path}`), path: { kind: "literal", path: request.path }, isWide: request.isRecursive };
    case "write":
      return { ...NOTHING, unit: unit("writes", `writes ${request.path}`), path: { kind: "literal", path: request.path } };
    case "server-path": {
      const { use, path, place } = request;
      const [kind, verb] = use === "write" ? (["writes", "writes"] as const) : (["reads", "reads"] as const);
      const said = unit(kind, `${verb} ${path} (the MCP server ${place.server})`);
      return { ...NOTHING, unit: said, path: { kind: "literal", path }, isWide: use === "tree", server: place };
    }
    case "connect":
      return { ...NOTHING, unit: unit("connects", `connects to ${request.host}`), host: { kind: "literal", host: request.host, port: request.port } };
    case "send":
      return { ...NOTHING, unit: unit("sends", `sends to ${request.host}`), host: { kind: "literal", host: request.host, port: request.port } };
    case "invoke":
      return { ...NOTHING, unit: unit("invokes", `invokes ${request.tool}`) };
    case "remember":
      return { ...NOTHING, unit: unit("remembers", "keeps something in memory") };
    case "schedule":
      if (request.proposal === undefined) return { ...NOTHING, unit: unit("schedules", `schedules ${request.name}`) };
      return request.proposal === "made"
        ? { ...NOTHING, level: "low", unit: unit("schedules", `proposes the job ${request.name}, which waits for a person`) }
        : { ...NOTHING, level: "medium", unit: unit("schedules", `removes the job ${request.name}, which a run proposed`) };
    case "message":
      return { ...NOTHING, unit: unit("messages", "sends a message to the person") };
    case "plan":
      return { ...NOTHING, persons: "plan", unit: unit("call", `leaves read-only with the plan sha256:${sha256(request.plan)}`) };
    case "question":
      return { ...NOTHING, persons: "question", unit: unit("call", `asks the person ${JSON.stringify(request.question.slice(0, MAX_TASK))}`) };
    case "delegate":
      return { ...NOTHING, unit: unit("call", `gives a sub-agent the task ${JSON.stringify(request.task.slice(0, MAX_TASK))}`) };
  }
}

function unitsOfCommand(request: CommandRequest): UnitCase[] {
  const { analysis, place } = request;
  const { effects, simples } = analysis;
  const server = place === undefined ? {} : { server: place };
  const hasHiddenText = makeVisible(request.text) !== request.text;
  const units: UnitCase[] = [];
  const withEffect: boolean[] = [];
  let isUndecidable = false;
  for (const effect of effects) {
    const { kind, simple, span } = effect;
    const isOfCommand = simple >= 0;
    if (isOfCommand) withEffect[simple] = true;
    if (kind === "undecidable") isUndecidable = true;
    const path = effect.path ?? null;
    const isOrdinary = path !== null && path.kind === "literal" && isOrdinaryPath(path.path);
    units.push({
      unit: { kind, subject: subjectOf(effect, isOrdinary), simple: isOfCommand ? simple : null, span },
      path,
      isOrdinary,
      host: effect.host ?? null,
      isWide: effect.isWide === true,
      request,
      command: isOfCommand ? (simples[simple] ?? null) : null,
      hasHiddenText,
      ...server,
    });
  }
  for (let index = 0; index < simples.length; index += 1) {
    const command = simples[index] as SimpleCommand;
    if (withEffect[index] === true || (command.through !== undefined && analysis.without?.includes(command.through) === true)) continue;
    const unit: Unit = { kind: "command", subject: wordsOf(analysis, command), simple: index, span: command.span };
    units.push({ unit, path: null, isOrdinary: false, host: null, isWide: false, request, command, hasHiddenText, ...server });
  }
  // An analysis that found something undecidable and named no effect for it is not believed.
  if (!isUndecidable && (analysis.undecidable.length > 0 || analysis.parse === "failed")) {
    units.push({ ...NOTHING, ...server, request, hasHiddenText, unit: { kind: "undecidable", subject: "the command could not be read", simple: null } });
  }
  return units;
}

/** What a person or a model can do about it stands behind it. */
function subjectOf(effect: Effect, isOrdinary: boolean): string {
  const hint = effect.through === undefined ? undefined : HINTS[effect.through.kind];
  return hint === undefined ? aboutOf(effect, isOrdinary) : `${aboutOf(effect, isOrdinary)}; ${hint}`;
}

const HINTS: Readonly<Partial<Record<Condition["kind"], string>>> = {
  "odd-names": "a name that is found may become several words, which `-print0 | xargs -0` prevents",
  "option-names": "a name that is found may be one, which `./` in front of the pattern prevents",
};

function aboutOf(effect: Effect, isOrdinary: boolean): string {
  const { kind, path, host } = effect;
  // Which path a file of somebody else's names is known to nobody: the cause tells more.
  const isNamed = kind !== "runs-code" && effect.through?.kind !== "files";
  if (path !== undefined && isNamed) return isOrdinary ? `${kind} ${pathText(path)}` : makeVisibleLine(`${kind} ${pathText(path)}`);
  if (host?.kind === "literal" && kind === "connects") return makeVisibleLine(`connects to ${host.host}`);
  return makeVisibleLine(effect.cause);
}

function pathText(path: PathOperand): string {
  if (path.kind === "literal") return path.path;
  return path.kind === "pattern" ? path.glob : `a path that is known only when it runs (${path.prefix}…)`;
}

function wordsOf(analysis: CommandAnalysis, command: SimpleCommand): string {
  return makeVisibleLine(analysis.text.slice(command.span.start, command.span.end));
}
