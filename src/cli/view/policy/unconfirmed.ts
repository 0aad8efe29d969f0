import type { PolicyBase } from "../../../config/policy/held-texts.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { paint } from "../style.ts";

/** One line on the files of a policy that nobody confirmed; none where there is none. */
export function unconfirmedLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const names = files.map((file) => makeVisibleLine(file));
  return [`${paint("yellow", "not confirmed")}: nobody has confirmed ${names.join(", ")}. Before a run takes it: warder policy trust ${names[0]}`];
}

/** One line on the revision that a policy was read from, where the working tree has another text; none where it has the same. */
export function baseLines(base: PolicyBase | null): readonly string[] {
  if (base === null || base.differing.length === 0) return [];
  const { revision, commit, differing } = base;
  const names = differing.map((file) => makeVisibleLine(file)).join(", ");
  const one = `${makeVisibleLine(revision)}:${makeVisibleLine(differing[0] ?? "")}`;
  return [
    `The policy is read at ${makeVisibleLine(revision)} (${commit.slice(0, 12)}). The working tree has another ${names}, which does not count: warder policy diff ${one} ${makeVisibleLine(differing[0] ?? "")}`,
  ];
}
