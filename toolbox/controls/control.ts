/**
 * A control that the documentation promises, with the smallest patch that switches it off and the tests of which one must then turn red.
 * A behaviour that a row of docs/features.md promises is written down in the same way. The lists: `lists.ts`.
 */
export type Control = {
  readonly id: string;
  /** From the root of the tree. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly search: string;
  readonly replace: string;
  readonly tests: readonly NamedTests[];
  /** What the control keeps from happening. */
  readonly because: string;
};

/** Tests of one file. */
export type NamedTests = { readonly file: string; /** A pattern over full titles, as for vitest's -t. */ readonly name: string };

/** What one run of tests reported. */
export type TestRun = {
  readonly passed: number;
  readonly failed: number;
  /** Files that did not even load. */
  readonly unloaded: number;
  /** It did not end by itself and counts as a failed test: either what is missing is a limit, or the machine was too slow. */
  readonly isCutOff?: boolean;
  /** How long its tests took, one after the other. */
  readonly ms: number;
  /** The title of a test that failed. */
  readonly red?: string;
};

export type Verdict = { readonly isGuarded: boolean; readonly detail: string };

/** The text with the control switched off. Throws when the place is not there exactly once, for then the list is out of date. */
export function switchOff(control: Pick<Control, "id" | "file" | "search" | "replace">, text: string): string {
  const places = text.split(control.search).length - 1;
  if (places !== 1) throw new Error(`${control.id}: ${control.file} has its search text ${places} times, not once`);
  if (control.search === control.replace) throw new Error(`${control.id}: its patch changes nothing`);
  return text.replace(control.search, () => control.replace);
}

/**
 * Whether tests guard a control: green with it, red without it. A patch that keeps a file from loading proves nothing, for any test would
 * be red then; nor does a name that selects no test.
 */
export function judge(withControl: TestRun, withoutControl: TestRun): Verdict {
  return judgeGreen(withControl) ?? judgeRed(withoutControl);
}

/** Why a control cannot be judged by its tests as they are with it in place; null when they are green. */
export function judgeGreen(run: TestRun): Verdict | null {
  if (run.unloaded > 0 || run.failed > 0)
    return { isGuarded: false, detail: `red with the control in place (${run.failed} failed, ${run.unloaded} did not load)${howEnded(run)}` };
  return run.passed === 0 ? { isGuarded: false, detail: "its tests select nothing that runs here" } : null;
}

function judgeRed(run: TestRun): Verdict {
  if (run.unloaded > 0) return { isGuarded: false, detail: "the patch keeps a test file from loading, which proves nothing" };
  if (run.failed === 0) return { isGuarded: false, detail: `still green without the control (${run.passed} passed)` };
  return { isGuarded: true, detail: `red${howEnded(run)}` };
}

const howEnded = (run: TestRun): string => (run.isCutOff === true ? ", and was cut off" : run.red === undefined ? "" : `: ${run.red}`);

/** `count` of the controls, in an order that the seed decides, so that a draw can be repeated. */
export function draw(controls: readonly Control[], count: number, seed: number): readonly Control[] {
  const left = [...controls];
  const drawn: Control[] = [];
  let state = seed >>> 0;
  while (drawn.length < count && left.length > 0) {
    // A linear congruential generator (Numerical Recipes): its high bits are random enough for a draw.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    drawn.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1));
  }
  return drawn;
}
