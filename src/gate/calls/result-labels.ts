import { sensitiveRead } from "../../policy/deciding/sensitive-reads.ts";
import { distinctLabels, type Label, labelOf } from "../../policy/label.ts";
import type { Request } from "../../policy/request.ts";
import type { ToolResult } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";

/** Of one result; a person reads no more, and the first of each sight stays. */
const MAX_LABELS = 20;

/**
 * The labels of what a call gave: by what it was ruled to do, what its tool says of values that it handed on, what sub-agents and artifacts brought, and
 * what redaction found. `hasSecret`: something was taken out, of which more may be left.
 */
export function resultLabels(call: RuledCall, progress: Progress, { label, labels = [] }: ToolResult, hasSecret: boolean): readonly Label[] {
  const { ruling, gate, judgement } = call;
  const made = (isSensitive: boolean, source: string): Label =>
    labelOf({ trust: "untrusted", isSensitive, source, call: ruling.callId, run: gate.parts.runId });
  const { requests } = judgement.call;
  const from = label === "untrusted" || progress.hasActed ? sourcesOf(ruling.tool, requests) : [];
  const secret = hasSecret ? [made(true, `what redaction found in the result of ${ruling.tool}`)] : [];
  const written = progress.hasActed ? gate.written.of(pathsRead(requests)) : [];
  const marked = progress.hasActed ? sensitiveRead(gate.parts.policy, judgement.call, judgement.measured.paths) : null;
  const sensitive = marked === null ? [] : [made(true, marked)];
  return distinctLabels(
    [...secret, ...sensitive, ...written, ...progress.labels, ...labels.map(labelOf), ...from.map((source) => made(false, source))],
    MAX_LABELS,
  );
}

/** Keeps with what a call may have written that it was written by who had been given this. */
export function noteWritten({ gate, judgement }: RuledCall, labels: readonly Label[]): void {
  for (const request of judgement.call.requests) {
    if (request.kind === "write") gate.written.note(request.path, labels);
    else if (request.kind === "command" || request.kind === "invoke") gate.written.note(null, labels);
  }
}

function sourcesOf(tool: string, requests: readonly Request[]): readonly string[] {
  const sources = requests.map((request): string => {
    switch (request.kind) {
      case "read":
      case "write":
      case "server-path":
        return `file ${request.path}`;
      case "connect":
      case "send":
        return `host ${request.host}`;
      case "command":
        return `command ${request.text}`;
      case "delegate":
        return "a sub-agent";
      case "invoke":
      case "remember":
      case "schedule":
      case "message":
      case "plan":
      case "question":
        return `tool ${tool}`;
    }
  });
  return sources.length === 0 ? [`tool ${tool}`] : sources;
}

/** The files that a call reads and nothing else; null: it may read anything. */
function pathsRead(requests: readonly Request[]): readonly string[] | null {
  const paths = requests.map((request) => ((request.kind === "read" && !request.isRecursive) || request.kind === "write" ? request.path : null));
  return paths.length === 0 || paths.includes(null) ? null : paths.filter((path) => path !== null);
}
