import type { CommandHook } from "../../policy/hook.ts";
import { durationText } from "../../policy/text/quantity.ts";
import { makeVisibleLine } from "../../base/text.ts";

/** Which hooks may still deny what nothing else denies. */
export function hooksText(names: readonly string[]): string {
  return `hooks: ${names.join(", ")} may deny it in a run; none was run here`;
}

/** One hook of a policy in a line. */
export function hookLine({ id, on, tools, timeoutMs, mayRewrite, at }: CommandHook): string {
  const about = [
    on.join(", "),
    ...(tools === null ? [] : [`of ${tools.join(", ")}`]),
    `at most ${durationText(timeoutMs)}`,
    ...(mayRewrite ? ["may change arguments"] : []),
  ];
  return makeVisibleLine(`hook ${id} (${at.file}:${String(at.line)}): ${about.join("; ")}`);
}
