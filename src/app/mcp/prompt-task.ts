import { type Label, labelOf } from "../../policy/label.ts";

type Chosen = { readonly server: string; readonly prompt: string };

const markOf = (prompt: string, server: string): string =>
  `[warder] From here to the end: the prompt ${prompt} of the MCP server ${server}, in that server's words. Your person chose it, and may not have read it.`;
const MARK = /^\[warder\] From here to the end: the prompt (?<prompt>[\w.-]{1,100}) of the MCP server (?<server>[a-z0-9_]{1,24}), in that server's words\./mu;

/** A task that is a prompt of a server: the person's own words, and then the server's to the end, so that nothing in those can end them. `said`: may be empty. */
export function taskOfPrompt({ server, prompt }: Chosen, text: string, said: string): string {
  const own = said.trim() === "" ? "Do what the prompt below describes." : said.trim();
  return `${own}\n\n${markOf(prompt, server)}\n${text}`;
}

/** Where the words of a task came from beside its person, by the mark that stands in it for as long as the run, its forks and its sub-agents know it. */
export function labelsOfTask(task: string | null, run: string): readonly Label[] {
  const { prompt, server } = MARK.exec(task ?? "")?.groups ?? {};
  if (prompt === undefined || server === undefined) return [];
  return [labelOf({ trust: "untrusted", isSensitive: false, source: `prompt ${prompt} of ${server}`, call: "none", run })];
}
