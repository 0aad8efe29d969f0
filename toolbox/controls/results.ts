import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Control, Verdict } from "./control.ts";

type Line = Verdict & { readonly control: Control; readonly seconds: number; readonly commit: string };

export type Results = {
  /** Whether the control, as it reads now, was found guarded. */
  isGuarded(control: Control): boolean;
  add(control: Control, verdict: Verdict, seconds: number): void;
};

/** What became of each control, a line of JSON each, in a file that an interrupted run left and that this one adds to; null keeps nothing. */
export function openResults(path: string | null, commit: string): Results {
  const text = path !== null && existsSync(path) ? readFileSync(path, "utf8") : "";
  // What was cut off in the middle of a line was not judged.
  const lines = text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);
  const guarded = new Set(lines.filter(({ isGuarded }) => isGuarded).map(({ control }) => JSON.stringify(control)));
  if (path !== null && text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  return {
    isGuarded: (control) => guarded.has(JSON.stringify(control)),
    add(control, verdict, seconds) {
      if (path !== null) appendFileSync(path, `${JSON.stringify({ commit, seconds: Math.round(seconds), ...verdict, control } satisfies Line)}\n`);
    },
  };
}
