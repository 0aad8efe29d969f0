import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { askUserSchema } from "../contract/input-schemas.ts";
import { trustedError } from "../contract/result.ts";

/** Asks the person for words. */
export const askUserTool = defineTool({
  name: "ask_user",
  aliases: TOOL_NAMES.ask_user,
  description:
    "Asks the person a question, and waits for the answer. For what only they can know; look for yourself first. The answer is words: it allows no call, which is asked about by itself.",
  schema: askUserSchema,
  needs: [{ kind: "person" }],
  traits: { exclusiveSandbox: false, tier: "read-only", history: { isCompactable: false, summaryArgument: "question" } },
  requests: ({ question, choices = [] }) => [{ kind: "question", question, choices }],
  async execute(_input, { handles }) {
    const end = await handles.person.answer();
    if ("problem" in end) return trustedError(end.problem);
    return { content: [{ kind: "text", text: `The person answered: ${end.words}` }], isError: false, label: "trusted", details: { words: end.words } };
  },
});
