import type { Random } from "../../../shared/random.ts";
import type { Draw } from "./steps.ts";
import { command, STEPS, value } from "./steps.ts";
import { USES } from "./uses.ts";
import type { Growth } from "./words.ts";
import { quoted, word } from "./words.ts";

const NAMES = ["x", "x", "x", "y", "a", "REPLY"];

type Frame = (growth: Growth, parts: { readonly before: string; readonly after: string; readonly gap: string }) => string;

/** Where the steps and the uses stand to each other: side by side, and with one of them where it may run elsewhere, later, or not at all. */
export const FRAMES: Readonly<Record<string, Frame>> = {
  plain: (_growth, { before, after, gap }) => before + gap + after,
  function: (_growth, { before, after, gap }) => `k() { ${before}${gap}${after}\n}; k a 'b c'`,
  "step-in-function": (_growth, { before, after, gap }) => `k() { ${before}\n}; k rm b${gap}${after}`,
  "use-in-function": (_growth, { before, after, gap }) => `k() { ${after}\n}; ${before}${gap}k a`,
  "step-in-subshell": (_growth, { before, after, gap }) => `(${before}\n)${gap}${after}`,
  "step-in-branch": ({ random }, { before, after, gap }) => `if ${random.pick(["ls", "[ -f a ]", "true", "! id"])}; then ${before}\nfi${gap}${after}`,
  "step-behind-list": ({ random }, { before, after, gap }) => `ls ${random.pick(["&&", "||"])} { ${before}\n}${gap}${after}`,
  "step-in-loop": ({ random }, { before, after, gap }) =>
    `${random.pick(["for k in 1 2", "while ls", "until ls"])}; do ${before}\n${random.pick(["", "break\n"])}done${gap}${after}`,
  "both-in-loop": (_growth, { before, after, gap }) => `for k in a b; do ${after}${gap}${before}\ndone`,
  "step-evaluated": (growth, { before, after, gap }) => `eval ${quoted(growth, before)}${gap}${after}`,
  "step-redirected": ({ random }, { before, after, gap }) => `{ ${before}\n} ${random.pick([">q", "<f", "2>&1", "| cat", "&"])}${gap}${after}`,
  "use-in-trap": (growth, { before, after, gap }) => `trap ${quoted(growth, after)} EXIT; ${before}${gap}:`,
  "in-substitution": (_growth, { before, after, gap }) => `tee $(${before}${gap}${after}\n)`,
  "in-bash": (growth, { before, after, gap }) => `bash -c ${quoted(growth, before + gap + after)} rm 'a b' c`,
  "in-sh": (growth, { before, after, gap }) => `sh -c ${quoted(growth, before + gap + after)} rm 'a b' c`,
  "step-before-shell": (growth, { before, after }) => `${before}; ${growth.random.pick(["bash", "sh"])} -c ${quoted(growth, after)}`,
};

/** A short script of which one step sets something and a later one uses it through another feature. `growth.note` hears of each feature. */
export function combination(growth: Growth, depth: number): string {
  const { random } = growth;
  const name = random.pick(NAMES);
  const given = (): string => (random.once(12) ? word(growth, depth + 1) : value(random));
  const draw: Draw = { random, name, other: name === "y" ? "z" : "y", value: given, command: () => command({ random, name }) };
  const steps = chosen(random, STEPS, random.pick([1, 1, 2, 2, 3]));
  const uses = chosen(random, USES, random.pick([1, 1, 2]));
  const frame = random.once(2) ? "plain" : random.pick(Object.keys(FRAMES));
  for (const step of steps) for (const use of uses) growth.note?.(`${step} ${use}`);
  growth.note?.(frame);
  const first = random.once(2) ? [`${name}=${given()}`] : [];
  const gap = random.pick(["; ", "\n", "\n", " && ", "; "]);
  const before = [...first, ...steps.map((step) => STEPS[step]?.(draw) ?? "")].join(random.pick(["; ", "\n"]));
  return FRAMES[frame]?.(growth, { before, after: uses.map((use) => USES[use]?.(draw) ?? "").join(gap), gap }) ?? before;
}

function chosen(random: Random, features: Readonly<Record<string, unknown>>, count: number): readonly string[] {
  return Array.from({ length: count }, () => random.pick(Object.keys(features)));
}
