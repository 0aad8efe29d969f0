import { describeChange } from "../../tools/files/diff.ts";
import type { FileChange } from "../../approvals/card.ts";
import type { TakenFiles } from "../../tools/contract/tool.ts";
import { handedContent, handedTo, textOfContent } from "../kept/handed.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** What becomes of the file that a call writes by itself, and why nothing would. */
export type Foreseen = { readonly change: FileChange | null; readonly problem: string | null };

const NOTHING: Foreseen = { change: null, problem: null };

/** What the tool would make of its files as they are now. Their digests are bound to the ruling: another text voids the answer. */
export async function foreseenChange(call: RuledCall): Promise<Foreseen> {
  const { gate, ruling, binding, judgement } = call;
  const tool = gate.parts.tools.find(ruling.tool);
  const taken = tool?.takes?.(binding.input, gate.parts.setting);
  if (taken !== undefined) return await foreseenMerge(call, taken);
  const rewrite = tool?.rewrites?.(binding.input, gate.parts.setting);
  if (rewrite === undefined) return NOTHING;
  const { path, after } = rewrite;
  const isNew = judgement.measured.paths.get(path)?.type === "missing";
  const before = isNew ? null : ((await gate.bench.source.texts([path])).get(path) ?? null);
  const result = after(before);
  // A file that is too large to be looked at here may have what is replaced.
  if ("problem" in result) return { change: null, problem: isNew || before !== null ? result.problem : null };
  return { change: { path, diff: describeChange(before ?? "", result.text, Infinity), isNew }, problem: null };
}

/** What a sub-agent left can no longer change, so the answer is to what is shown. */
async function foreseenMerge({ gate, judgement }: RuledCall, { agent, paths }: TakenFiles): Promise<Foreseen> {
  const { store, runId } = gate.parts;
  const changes = handedTo(runId, agent, store)?.changes ?? [];
  const found = paths.flatMap((path) => changes.filter((change) => change.path === path && change.obstacle === null));
  const [first] = found;
  if (first === undefined) return NOTHING;
  const isNew = (path: string): boolean => judgement.measured.paths.get(path)?.type === "missing";
  const texts = await gate.bench.source.texts(paths.filter((path) => !isNew(path)));
  const diffs = found.map((change) => {
    const content = handedContent(store.paths.artifacts, agent, change);
    const after = content === null ? null : textOfContent(content);
    const before = isNew(change.path) ? "" : texts.get(change.path);
    if (typeof before === "string" && after !== null) return describeChange(before, after, Infinity);
    return `[${String(change.size)} bytes that are no text, or replace none; sha256 ${change.after ?? "none"}]`;
  });
  const diff = found.length === 1 ? diffs.join("") : found.map(({ path }, index) => `=== ${path}\n${diffs[index] ?? ""}`).join("\n");
  const other = found.find(({ path, before }) => (judgement.measured.files.get(path) ?? null) !== before);
  const problem = other === undefined ? null : `${other.path} changed here since the sub-agent began`;
  return { change: { path: first.path, diff, isNew: found.every(({ path }) => isNew(path)) }, problem };
}
