import { type Dialect, SILENCE, textOf } from "../dialect.ts";
import { isClaudeForm, readClaudeForm, sayInClaudeForm } from "./claude-code.ts";

/** An allow without new arguments counts as a fault of the hook there, and so does an ask: then the tool runs. So an allow is silence, and an ask never asked. */
export const CODEX: Dialect = {
  title: "Codex",
  owns: (event) => isClaudeForm(event) && textOf(event, "turn_id") !== null,
  read: (event, home) => readClaudeForm(event, home, { canAsk: () => false }),
  answer: (answer) => (answer.verdict === "allow" ? SILENCE : sayInClaudeForm({ ...answer, verdict: "deny" })),
  silence: SILENCE,
};
