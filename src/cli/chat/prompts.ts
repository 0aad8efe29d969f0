import { givenBy, promptsOf, textOfPrompt } from "../../app/mcp/prompts.ts";
import { AgentError } from "../../base/errors.ts";
import { promptLines } from "../commands/mcp/prompts.ts";
import { word } from "./conversation/entry.ts";
import type { Typed } from "./conversation/typed.ts";
import { show, type Talk } from "./talk.ts";

/** What a person can read in their line before they send it. */
const MAX_LINE = 8_000;

/** Puts a server's prompt into the line of a person, who reads it, changes it and sends it as words of their own; or lists them. */
export async function takePrompt(talk: Talk, { server, prompt, values }: Extract<Typed, { kind: "prompt" }>): Promise<void> {
  const { signal } = talk.run;
  show(talk, word(`Asking the MCP server ${server}…`, "quiet"));
  if (prompt === "") return show(talk, { kind: "lines", lines: promptLines(server, await promptsOf(talk.context, server, signal)) });
  const text = await textOfPrompt(talk.context, { server, prompt, given: givenBy(values) }, signal);
  if (text.length > MAX_LINE)
    throw new AgentError("usage", `The prompt has ${String(text.length)} characters, more than anybody reads in a line.`, {
      remedy: `warder run --prompt ${server}/${prompt} works on it as on a stranger's words.`,
    });
  if (!talk.desk.isInputEmpty()) return show(talk, word("Your line is not empty, so the prompt was not put into it.", "warning"));
  talk.desk.setInput(text);
  show(talk, word(`The prompt of ${server} stands in your line. Read it: what you send are your words.`, "warning"));
}
