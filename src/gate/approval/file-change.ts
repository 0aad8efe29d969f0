import { describeChange } from "../../tools/files/diff.ts";
import type { FileChange } from "../../approvals/card.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** What becomes of the file that a call writes by itself, and why nothing would. */
export type Foreseen = { readonly change: FileChange | null; readonly problem: string | null };

const NOTHING: Foreseen = { change: null, problem: null };

/** What the tool would make of its file as it is now. The file's digest is bound to the ruling: another text voids the answer. */
export async function foreseenChange({ gate, ruling, binding, judgement }: RuledCall): Promise<Foreseen> {
  const rewrite = gate.parts.tools.find(ruling.tool)?.rewrites?.(binding.input, gate.parts.setting);
  if (rewrite === undefined) return NOTHING;
  const { path, after } = rewrite;
  const isNew = judgement.measured.paths.get(path)?.type === "missing";
  const before = isNew ? null : ((await gate.bench.source.texts([path])).get(path) ?? null);
  const result = after(before);
  // A file that is too large to be looked at here may have what is replaced.
  if ("problem" in result) return { change: null, problem: isNew || before !== null ? result.problem : null };
  return { change: { path, diff: describeChange(before ?? "", result.text, Infinity), isNew }, problem: null };
}
