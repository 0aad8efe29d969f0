import type { Facts } from "../facts.ts";
import type { Policy } from "../policy.ts";
import type { CallRequest } from "../request.ts";
import type { PathOperand } from "../../shell/model/model.ts";
import { compiled } from "./compiled-policy.ts";
import { climbsFromLink } from "./path-traversal.ts";
import { OPAQUE_EFFECTS } from "./sealed-profile.ts";

/**
 * Whether a call may give what the policy marks as sensitive, and by what: a path, or that nobody knows what it reads (law 7). Null: it does not. A walk
 * through a tree, a pattern that may meet such a file and code that nobody read count as reading it.
 */
export function sensitiveRead(policy: Policy, { requests }: Pick<CallRequest, "requests">, paths: Facts["paths"]): string | null {
  const { sensitive } = compiled(policy);
  if (sensitive.isEmpty) return null;
  const covers = (path: string): boolean => sensitive.find(path) !== null || sensitive.find(paths.get(path)?.real ?? path) !== null;
  const ofOperand = (operand: PathOperand): string | null => {
    if (operand.kind === "literal") return covers(operand.path) ? `file ${operand.path}` : null;
    if (operand.kind === "dynamic") return "a path that was known only when it was read";
    return sensitive.touch(operand.glob).kind === "no" ? null : `files ${operand.glob}`;
  };
  for (const request of requests) {
    if (request.kind === "read" || request.kind === "write") {
      if (covers(request.path)) return `file ${request.path}`;
      if (request.kind === "read" && request.isRecursive) return `files below ${request.path}`;
    }
    if (request.kind === "server-path" && covers(request.path)) return `file ${request.path}`;
    if (request.kind === "invoke") return "a tool that may read anything";
    if (request.kind !== "command") continue;
    for (const { kind, path, isWide, simple } of request.analysis.effects) {
      if (OPAQUE_EFFECTS.includes(kind)) return "code that may read anything";
      const command = request.analysis.simples[simple];
      if (command !== undefined && path?.kind === "literal" && climbsFromLink(command, path.path, { paths }))
        return "a path that goes up from what may be a link";
      const found = path === undefined ? null : isWide === true && kind === "reads" ? "files of a whole tree" : ofOperand(path);
      if (found !== null) return found;
    }
    if (request.analysis.undecidable.length > 0 || request.analysis.parse === "failed") return "a command that may read anything";
  }
  return null;
}
