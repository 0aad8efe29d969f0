import { posix } from "node:path";
import type { GrantExamples, GrantPattern } from "../../approvals/card.ts";
import type { ToolRequest } from "../../tools/contract/tool.ts";
import { judge } from "../ruling/judge.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { coveredBy } from "./grant-coverage.ts";

/**
 * One command, or one file, that a pattern covers, and one like it that it does not. Each is judged as a call would be; null when that shows that
 * the pattern is not what its examples say, and then nobody is offered it.
 */
export async function grantExamples(call: RuledCall, grant: GrantPattern): Promise<GrantExamples | null> {
  const { covered, left } = grant.kind === "path" ? pathExamples(grant) : commandExamples(grant);
  const covers = await firstOf(call, grant, { texts: covered, isCovered: true });
  const leaves = await firstOf(call, grant, { texts: left, isCovered: false });
  return covers === null || leaves === null ? null : { covers, leaves };
}

type Examples = { readonly covered: readonly string[]; readonly left: readonly string[] };

function pathExamples({ pattern, place }: GrantPattern): Examples {
  const other = posix.join(place, "another.file");
  if (pattern === other || !pattern.endsWith("/*")) return { covered: [pattern], left: [other, posix.join(place, "one.more")] };
  return { covered: [other], left: [posix.join(place, "deeper", "another.file")] };
}

function commandExamples({ pattern }: GrantPattern): Examples {
  const other = pattern.split(" ").map((word) => (word === "*" ? "other" : word));
  const text = other.join(" ");
  return { covered: [text], left: [`${text} --force`, `${text} more`] };
}

async function firstOf(
  call: RuledCall,
  grant: GrantPattern,
  { texts, isCovered }: { readonly texts: readonly string[]; readonly isCovered: boolean },
): Promise<string | null> {
  for (const text of texts) if ((await isCoveredBy(call, grant, text)) === isCovered) return text;
  return null;
}

async function isCoveredBy(call: RuledCall, grant: GrantPattern, text: string): Promise<boolean> {
  const { bench } = call.gate;
  const wanted: ToolRequest = grant.kind === "path" ? { kind: "write", path: text } : { kind: "command", text, cwd: grant.place };
  const judgement = await judge(bench, grant.kind === "path" ? "write_file" : "shell", [wanted]);
  return coveredBy({ ...call, judgement }, [grant]) !== null;
}
