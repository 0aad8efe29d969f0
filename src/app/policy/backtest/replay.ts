import { statSync } from "node:fs";
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { CheckParts } from "../../../gate/check.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { readForReview, type ReviewContext } from "../../setup/context.ts";
import { keptInput } from "./kept-input.ts";
import type { LoggedCall } from "./logged-calls.ts";

/** A logged call, ready to be judged again in its workspace, at its time, with what the model had seen. */
export type PreparedCall = { readonly parts: CheckParts & { readonly clock: Clock }; readonly name: string; readonly input: unknown };

/** Makes logged calls ready to be judged again under a policy; a text says why one cannot be. Throws as {@link readForReview} does. */
export function replayUnder(policyFile: string): (call: LoggedCall) => PreparedCall | string {
  const tools = createRegistry();
  const contexts = new Map<string, ReviewContext | null>();
  return (call) => {
    const context = contextFor(call, policyFile, contexts);
    if (context === null) return "its workspace is no longer there";
    const tool = tools.find(call.tool);
    if (tool === undefined) return "its tool is none of this version's own";
    const { policy, workspace, home, ownPaths } = context;
    const setting = { workspace, home };
    const kept = keptInput(tool, call.input, setting);
    if ("lost" in kept) return kept.lost;
    const clock: Clock = { ...systemClock, nowMs: () => call.atMs };
    const parts = { policy, tools, setting, containment: call.containment, ownPaths, clock, labels: call.labels };
    return { parts, name: call.tool, input: kept.input };
  };
}

function contextFor({ workspace }: LoggedCall, policyFile: string, contexts: Map<string, ReviewContext | null>): ReviewContext | null {
  if (workspace === null) return null;
  const known = contexts.get(workspace);
  if (known !== undefined) return known;
  const isThere = statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true;
  const context = isThere ? readForReview(policyFile, workspace, { runsIn: process.cwd() }) : null;
  contexts.set(workspace, context);
  return context;
}
