import { type Label, labelOf, readLabels } from "../../policy/label.ts";
import type { RunStep } from "../journal.ts";

/** What a result begins with that is not in Warder's own words. */
const UNTRUSTED = /^\[untrusted output/u;

/** The labels of all results that steps hold: what a model was given stays given, also where a summary of it took its place. */
export function labelsIn(steps: readonly RunStep[], run: string): readonly Label[] {
  return steps.flatMap((step): readonly Label[] => {
    if (step.kind !== "result") return [];
    const { text, labels, name, callId } = step.part;
    if (labels === undefined && !UNTRUSTED.test(text)) return [];
    // Kept before there were labels, or damaged: nobody knows what it was.
    return readLabels(labels) ?? [labelOf({ trust: "untrusted", isSensitive: true, source: `tool ${name}, whose labels were not kept`, call: callId, run })];
  });
}
