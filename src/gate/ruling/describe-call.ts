import { quoteWord } from "../../shell/render.ts";
import type { PathFact } from "../../policy/facts.ts";
import type { Measured } from "../facts/measure.ts";
import type { CallRequest, Request } from "../../policy/request.ts";
import type { CommandAnalysis, HostOperand, PathOperand, SimpleCommand, Word } from "../../shell/model/model.ts";

/** What a call touches, in words for a person and for `warder check`. Each list sorted, each entry once. */
export type DescribedCall = {
  /** Each simple command with its words quoted; what is known only at run time is shown as it is written. */
  readonly commands: readonly string[];
  readonly programs: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly hosts: readonly string[];
  readonly undecidable: readonly string[];
};

/** Describes a call's requests; a path that leads elsewhere is shown with where it leads. */
export function describeCall(call: CallRequest, measured: Pick<Measured, "paths" | "served">): DescribedCall {
  const parts = call.requests.map((request) => describeRequest(request, measured));
  const merged = (pick: (part: DescribedCall) => readonly string[]): readonly string[] => [...new Set(parts.flatMap(pick))].toSorted();
  return {
    commands: parts.flatMap((part) => part.commands),
    programs: merged((part) => part.programs),
    reads: merged((part) => part.reads),
    writes: merged((part) => part.writes),
    hosts: merged((part) => part.hosts),
    undecidable: merged((part) => part.undecidable),
  };
}

const NOTHING: DescribedCall = { commands: [], programs: [], reads: [], writes: [], hosts: [], undecidable: [] };

function describeRequest(request: Request, { paths: facts, served }: Pick<Measured, "paths" | "served">): DescribedCall {
  if (request.kind === "read") return { ...NOTHING, reads: [shownPath(request.path, facts)] };
  if (request.kind === "write") return { ...NOTHING, writes: [shownPath(request.path, facts)] };
  if (request.kind === "server-path") {
    const { server } = request.place;
    const shown = `${shownPath(request.path, served.get(server)?.paths ?? new Map())} (the MCP server ${server})`;
    return { ...NOTHING, [request.use === "write" ? "writes" : "reads"]: [shown] };
  }
  if (request.kind === "connect" || request.kind === "send") return { ...NOTHING, hosts: [`${request.host}:${request.port}`] };
  if (request.kind !== "command") return NOTHING;
  const { analysis, place } = request;
  if (place !== undefined) {
    const { place: _place, ...own } = request;
    const described = describeRequest(own, { paths: served.get(place.server)?.paths ?? new Map(), served });
    return { ...described, commands: described.commands.map((command) => `${command} (the MCP server ${place.server})`) };
  }
  return {
    commands: analysis.parse === "ok" ? analysis.simples.map((simple) => shownCommand(simple)) : [analysis.text],
    programs: analysis.simples.flatMap((simple) => [...simple.via, ...(simple.program === null ? [] : [simple.program])]),
    reads: pathsOf(analysis, ["reads", "secrets", "runs-code"], facts),
    writes: pathsOf(analysis, ["writes", "deletes", "persists", "history"], facts),
    hosts: analysis.effects.flatMap((effect) => (effect.host === undefined ? [] : [shownHost(effect.host)])),
    undecidable: analysis.undecidable.map((entry) => entry.code),
  };
}

function pathsOf(analysis: CommandAnalysis, kinds: readonly string[], facts: ReadonlyMap<string, PathFact>): readonly string[] {
  return analysis.effects.flatMap((effect) => (effect.path !== undefined && kinds.includes(effect.kind) ? [shownOperand(effect.path, facts)] : []));
}

function shownOperand(operand: PathOperand, facts: ReadonlyMap<string, PathFact>): string {
  if (operand.kind === "literal") return shownPath(operand.path, facts);
  return operand.kind === "pattern" ? operand.glob : `${operand.prefix}…`;
}

function shownPath(path: string, facts: ReadonlyMap<string, PathFact>): string {
  const real = facts.get(path)?.real;
  return real === undefined || real === path ? path : `${path} -> ${real}`;
}

function shownHost(host: HostOperand): string {
  if (host.kind === "configured") return "(configured)";
  if (host.kind === "dynamic") return `${host.prefix}…`;
  return host.port === null ? host.host : `${host.host}:${host.port}`;
}

/** A simple command with its words quoted; what is known only when it runs is named, not repeated. */
export function shownCommand(simple: SimpleCommand): string {
  const assignments = simple.assignments.map(
    (assignment) => `${assignment.name}${assignment.append ? "+=" : "="}${assignment.value === null ? "" : shownWord(assignment.value)}`,
  );
  const redirections = simple.redirections.map((redirection) => `${redirection.fd ?? ""}${redirection.operator} ${shownWord(redirection.target)}`);
  const via = simple.via.length === 0 ? "" : `  (run by ${simple.via.join(", ")})`;
  return `${[...assignments, ...simple.argv.map(shownWord), ...redirections].join(" ")}${via}`;
}

// The text as a whole stands on the card as well, so what is only known when it runs is named here, not repeated.
function shownWord(word: Word): string {
  if (word.kind === "literal") return quoteWord(word.value);
  return word.kind === "pattern" ? word.glob : `${word.prefix}<${word.reason}>`;
}
