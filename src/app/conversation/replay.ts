import { redactSecrets } from "../../audit/entries/redact.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { withRecords } from "../records/records.ts";
import { readSteps } from "../run/journal.ts";

/** What stands in a conversation, in its order: words, and calls with the answer that the model read. */
export type Utterance =
  | { readonly kind: "person" | "model"; readonly text: string }
  | {
      readonly kind: "call";
      readonly callId: string;
      /** As the model wrote it. */
      readonly name: string;
      readonly input: unknown;
      /** Null: it was not answered. */
      readonly result: { readonly text: string; readonly isError: boolean } | null;
    };

/** The conversation of a run as it holds, with secrets taken out of what was said. Throws `usage` where there is none. */
export function conversationOf(runId: string): readonly Utterance[] {
  return withRecords(({ store }) => {
    const row = store.runs.byId(runId);
    if (row === null) throw new AgentError("usage", `There is no run ${makeVisibleLine(runId)}.`, { remedy: "See: warder runs" });
    if (row.task === null) throw new AgentError("usage", `${runId} was one command, which has no conversation.`);
    const { steps } = readSteps(store, runId);
    const results = new Map(steps.flatMap((step) => (step.kind === "result" ? [[step.part.callId, step.part] as const] : [])));
    const said = steps.flatMap((step): readonly Utterance[] => {
      if (step.kind === "note") return step.isPersons === true ? [{ kind: "person", text: redactSecrets(step.text) }] : [];
      if (step.kind === "result") return [];
      const calls = step.parts.flatMap((part): readonly Utterance[] => {
        if (part.kind !== "tool-call") return [];
        const result = results.get(part.callId);
        const answer = result === undefined ? null : { text: redactSecrets(result.text), isError: result.isError };
        return [{ kind: "call", callId: part.callId, name: part.name, input: part.input, result: answer }];
      });
      return step.text === "" ? calls : [{ kind: "model", text: redactSecrets(step.text) }, ...calls];
    });
    return [{ kind: "person", text: redactSecrets(row.task) }, ...said];
  });
}
