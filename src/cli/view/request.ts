import type { PreparedRequest } from "../../app/review/request.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { quoteArgv } from "../../shell/render.ts";

/** What a person reads before a branch leaves the machine. */
export function requestText(run: string, { publication, base, command }: Pick<PreparedRequest, "publication" | "base" | "command">): string {
  const { remote, urls, branch, commit, commits, stat } = publication;
  const indented = (text: string): string => makeVisible(text).replaceAll(/^/gmu, "  ");
  return [
    `Push the work of ${makeVisibleLine(run)} and open a request for review?`,
    "",
    ...urls.map((url) => `  to       ${makeVisibleLine(remote)}: ${makeVisibleLine(url)}`),
    `  branch   ${makeVisibleLine(branch)} at ${commit.slice(0, 12)}${base === null ? "" : `, begun on ${makeVisibleLine(base)}`}`,
    `  command  ${makeVisibleLine(quoteArgv(command))}`,
    "",
    `  ${commits.length === 0 ? "No commits." : "Commits:"}`,
    ...commits.map((line) => `    ${makeVisibleLine(line)}`),
    ...(stat === "" ? [] : ["", indented(stat)]),
    "",
    "Your hooks run (pre-push), as with any push of yours.",
  ].join("\n");
}
