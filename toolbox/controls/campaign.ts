import { type Control, judge, judgeGreen, type TestRun, type Verdict } from "./control.ts";
import { anyOf, type FileRun, partOf, sumOf } from "./file-run.ts";

/** Where tests run: {@link TreeTests}. */
export type Bench = {
  withControls(file: string, pattern: string, count: number): Promise<FileRun>;
  /** `greenMs`: what its tests took with it in place. */
  withoutControl(control: Control, greenMs: number): Promise<TestRun>;
};

export type Width = {
  readonly width: number;
  readonly most: number;
  /** Whether more at once would only make each of them slower. */ readonly isBusy: () => boolean;
};

export type OnVerdict = (control: Control, verdict: Verdict, seconds: number) => void;

/** What takes longer than this, and than twice what its tests took with the control in place, mostly waits for something that does not come. */
const PATIENCE_MS = 20_000;

/**
 * Judges controls, several side by side. What is green with every control in place is found out once for a test file: all tests of it that
 * a control names run together.
 */
export class Campaign {
  readonly #controls: readonly Control[];
  readonly #names = new Map<string, string[]>();
  readonly #greens = new Map<string, Promise<FileRun>>();

  constructor(controls: readonly Control[]) {
    // Controls that share a file follow each other.
    this.#controls = controls.toSorted((one, other) => fileOf(one).localeCompare(fileOf(other), "en"));
    for (const { file, name } of controls.flatMap(({ tests }) => tests)) this.#names.set(file, [...(this.#names.get(file) ?? []), name]);
  }

  /**
   * Judges all controls, and tells of each as it is judged. `width` benches work at once, and another beside one that only waits, up to `most`
   * of them, unless the machine has enough to do. A bench is opened when it is needed.
   */
  async run(open: () => Bench, { width, most, isBusy }: Width, onVerdict: OnVerdict): Promise<void> {
    const [permits, seats] = [createPermits(width), createPermits(most)];
    const idle: Bench[] = [];
    const running: Promise<void>[] = [];
    const faults: unknown[] = [];
    for (const control of this.#controls) {
      // oxlint-disable-next-line no-await-in-loop
      const [leave, giveBack] = [await seats(), await permits()];
      if (faults.length > 0) break;
      const bench = idle.pop() ?? open();
      let timer: NodeJS.Timeout | undefined;
      const onGreen = (ms: number): void => {
        const patienceMs = Math.max(PATIENCE_MS, 2 * ms);
        const look = (): void => {
          if (isBusy()) timer = setTimeout(look, patienceMs);
          else giveBack();
        };
        timer = setTimeout(look, patienceMs);
      };
      const end = (): void => {
        clearTimeout(timer);
        idle.push(bench);
        giveBack();
        leave();
      };
      running.push(
        this.#judge(bench, control, { onGreen, onVerdict }).then(end, (error: unknown) => {
          faults.push(error);
          end();
        }),
      );
    }
    await Promise.all(running);
    if (faults.length > 0) throw faults[0];
  }

  async #judge(bench: Bench, control: Control, { onGreen, onVerdict }: { onGreen: (ms: number) => void; onVerdict: OnVerdict }): Promise<void> {
    const startedMs = performance.now();
    const verdict = await this.#examine(bench, control, onGreen);
    onVerdict(control, verdict, (performance.now() - startedMs) / 1000);
  }

  async #examine(bench: Bench, control: Control, onGreen: (ms: number) => void): Promise<Verdict> {
    const runs: TestRun[] = [];
    for (const tests of control.tests) {
      // oxlint-disable-next-line no-await-in-loop
      runs.push(partOf(await this.#green(bench, tests.file), tests));
    }
    const green = sumOf(runs);
    const refusal = judgeGreen(green);
    if (refusal !== null) return refusal;
    onGreen(green.ms);
    try {
      return judge(green, await bench.withoutControl(control, green.ms));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { isGuarded: false, detail: error.message };
    }
  }

  #green(bench: Bench, file: string): Promise<FileRun> {
    const names = [...new Set(this.#names.get(file))];
    const run = this.#greens.get(file) ?? bench.withControls(file, anyOf(names), names.length);
    this.#greens.set(file, run);
    return run;
  }
}

/** Hands out `count` permits, in the order in which they are asked for; each comes with what gives it back, once. */
function createPermits(count: number): () => Promise<() => void> {
  let free = count;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let isHeld = true;
    return () => {
      if (isHeld) give();
      isHeld = false;
    };
  };
}

const fileOf = ({ tests }: Control): string => tests[0]?.file ?? "";
