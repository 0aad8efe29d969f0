import { makeVisibleLine } from "../../../base/text.ts";
import { paint } from "../style.ts";

/** One line on the files of a policy that nobody confirmed; none where there is none. */
export function unconfirmedLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const names = files.map((file) => makeVisibleLine(file));
  return [`${paint("yellow", "not confirmed")}: nobody has confirmed ${names.join(", ")}. Before a run takes it: warder policy trust ${names[0]}`];
}
