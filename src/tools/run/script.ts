import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { scriptSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedError, untrustedText } from "../contract/result.ts";
import type { ScriptEnd } from "../contract/tool.ts";

export const SCRIPT = "script";

/** Runs JavaScript of the model's, whose only outside is the run's tools. */
export const scriptTool = defineTool({
  name: SCRIPT,
  aliases: TOOL_NAMES.script,
  description:
    "Runs JavaScript that calls your tools: many calls in one turn, their results filtered and combined before you read any. Nothing else is there: no files, network, modules or timers. Each call is decided as if you had made it. `await tools.NAME(input)` takes what the tool takes, gives its text, and throws a ToolError where it fails; at most 8 run at once, 1000 in all.",
  schema: scriptSchema,
  traits: { timeoutMs: "run", history: { summaryArgument: "code" } },
  async execute({ code, now, seed }, { handles }) {
    const end = await handles.scripts.run({ code, ...(now === undefined ? {} : { nowMs: Date.parse(now) }), ...(seed === undefined ? {} : { seed }) });
    if (end.kind === "not-started") return trustedError(end.reason);
    if (end.kind === "parked") return trustedError("Waiting for a person.");
    const text = textOf(end);
    const details = { calls: end.calls };
    return end.problem === null ? untrustedText(text, details) : untrustedError(text, details);
  },
});

function textOf({ value, problem, printed, calls }: Extract<ScriptEnd, { kind: "ended" }>): string {
  const { answered, failed, unawaited, notBegun } = calls;
  const counts = [
    `${answered} calls`,
    ...(failed === 0 ? [] : [`${failed} of them failed`]),
    ...(unawaited === 0 ? [] : [`${unawaited} were begun and not awaited`]),
    ...(notBegun === 0 ? [] : [`${notBegun} were not begun, as the script was over: await each of them`]),
  ];
  const ending = problem === null ? `returned: ${value ?? "null"}` : `failed: ${problem}`;
  return [ending, ...(printed === "" ? [] : [`printed:\n${printed.trimEnd()}`]), `(${counts.join("; ")})`].join("\n");
}
