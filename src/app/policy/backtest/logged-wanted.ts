import { holds, SIGHTS } from "../../../policy/label.ts";
import type { Circumstances, Places, Wanted } from "../../../policy/comparing/wanted.ts";
import { createRegistry } from "../../../tools/registry.ts";
import type { ToolRequest } from "../../../tools/contract/tool.ts";
import { keptInput } from "./kept-input.ts";
import type { LoggedCall } from "./logged-calls.ts";
import { movedPath, movedText } from "./moved.ts";

/** What a logged call asked for, as a comparison of policies asks for it. */
export type LoggedWanted = { readonly wanted: readonly Wanted[]; readonly circumstances: Circumstances };

/** Has logged calls asked for in other places: what lay in the workspace of its run lies in that of the comparison. Null: it cannot be had again. */
export function wantedIn(places: Places): (call: LoggedCall) => LoggedWanted | null {
  const tools = createRegistry();
  return (call) => {
    const { workspace, containment, labels, atMs } = call;
    const tool = tools.find(call.tool);
    if (tool === undefined || workspace === null) return null;
    const setting = { workspace, home: places.home };
    const kept = keptInput(tool, call.input, setting);
    if ("lost" in kept) return null;
    const wanted = tool.requests(kept.input as never, setting).flatMap((request) => wantedOf(request, workspace, places.workspace));
    return { wanted, circumstances: { containment, seen: SIGHTS.filter((sight) => holds([sight], labels)), nowMs: atMs } };
  };
}

/** None: a comparison knows no such request. */
function wantedOf(request: ToolRequest, from: string, to: string): readonly Wanted[] {
  switch (request.kind) {
    case "command":
      return [{ kind: "command", text: movedText(request.text, from, to) }];
    case "read":
      return [{ kind: "read", path: movedPath(request.path, from, to), ...(request.isRecursive ? { isRecursive: true } : {}) }];
    case "write":
      return [{ kind: "write", path: movedPath(request.path, from, to) }];
    case "connect":
      return [{ kind: "connect", host: request.host, port: request.port }];
    case "invoke":
      return [{ kind: "invoke", tool: request.tool }];
    case "remember":
    case "message":
    case "schedule":
      return [{ kind: request.kind }];
    case "server-path":
    case "send":
    case "delegate":
    case "question":
    case "plan":
      return [];
  }
}
