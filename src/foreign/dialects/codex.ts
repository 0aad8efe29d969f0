import { type Dialect, SILENCE, textOf } from "../dialect.ts";
import { patching } from "../patch.ts";
import { isClaudeForm, meaningOfClaude, readClaudeForm, sayInClaudeForm } from "./claude-code.ts";

const PATCH = patching("command", "input", "patch");

/** Its patch has a name of its own; the rest it tells in Claude Code's names. */
const meaningOf: typeof meaningOfClaude = (name, input, place) => (name === "apply_patch" ? PATCH(input, place) : meaningOfClaude(name, input, place));

/** An allow without new arguments counts as a fault of the hook there, and so does an ask: then the tool runs. So an allow is silence, and an ask never asked. */
export const CODEX: Dialect = {
  title: "Codex",
  owns: (event) => isClaudeForm(event) && textOf(event, "turn_id") !== null,
  read: (event, home) => readClaudeForm(event, home, { meaning: meaningOf, canAsk: () => false }),
  answer: (answer) => (answer.verdict === "allow" ? SILENCE : sayInClaudeForm({ ...answer, verdict: "deny" })),
  silence: SILENCE,
};
