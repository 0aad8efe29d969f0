import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { removeRunFolders } from "../../test/support/run-folder.ts";
import type { Control, NamedTests, TestRun } from "./control.ts";
import type { CopiedTree } from "./copied-tree.ts";
import { CUT_OFF, type FileRequest, type FileRun, partOf, sumOf, UNLOADED } from "./file-run.ts";

/** Longer than what a test waits for that ends by itself, such as a silent connection: a cut before that would be taken for red. */
const TIMEOUT_MS = 200_000;
/** And so many times what the tests took with the control in place, for a machine that is slow. */
const PATIENCE = 5;

/** For hooks that run at the end. */
const GRACE_MS = 30_000;

/** Runs tests in a copy of a checkout, one file at a time, with a vitest that stays from one to the next. */
export class TreeTests {
  readonly #tree: CopiedTree;
  readonly #timeoutMs: number;
  #vitest: ChildProcess | null = null;
  #changed: string[] = [];

  constructor(tree: CopiedTree, timeoutMs: number = TIMEOUT_MS) {
    this.#tree = tree;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs the tests of a file that match `pattern`, all of them, with every control in place; `count` patterns went into it. */
  async withControls(file: string, pattern: string, count: number): Promise<FileRun> {
    return await this.#run({ file, pattern, endsAtFirstRed: false }, this.#timeoutMs + (count - 1) * (this.#timeoutMs / 4));
  }

  /** Runs a control's tests with its patch applied until the first is red, and takes the patch back. `greenMs`: what they took with it in place. */
  async withoutControl(control: Control, greenMs: number): Promise<TestRun> {
    const runs: TestRun[] = [];
    this.#changed.push(control.file);
    await this.#tree.withPatches(control.id, [control], async () => {
      for (const tests of control.tests) {
        // One tree, one test at a time.
        // oxlint-disable-next-line no-await-in-loop
        runs.push(await this.#withoutIts(tests, Math.max(this.#timeoutMs, PATIENCE * greenMs)));
        if (runs.some(({ failed, unloaded }) => failed > 0 || unloaded > 0)) break;
      }
    });
    this.#changed.push(control.file);
    return sumOf(runs);
  }

  /** Lets the vitest that stays end. */
  async close(): Promise<void> {
    const vitest = this.#vitest;
    if (vitest === null || isOver(vitest)) return;
    const exit = once(vitest, "exit");
    vitest.disconnect();
    const timer = setTimeout(() => this.kill(), GRACE_MS);
    await exit;
    clearTimeout(timer);
    this.#vitest = null;
  }

  /** Ends the vitest that stays at once, with all that it started, and removes what it was to remove. */
  kill(): void {
    const vitest = this.#vitest;
    this.#vitest = null;
    if (vitest?.pid === undefined) return;
    if (!isOver(vitest)) process.kill(-vitest.pid, "SIGKILL");
    removeRunFolders(vitest.pid);
  }

  async #withoutIts(tests: NamedTests, timeoutMs: number): Promise<TestRun> {
    return partOf(await this.#run({ file: tests.file, pattern: tests.name, endsAtFirstRed: true }, timeoutMs), tests);
  }

  async #run(request: Omit<FileRequest, "changed">, timeoutMs: number): Promise<FileRun> {
    const vitest = (this.#vitest ??= await this.#start());
    const answer = Promise.withResolvers<FileRun>();
    vitest.once("message", answer.resolve);
    const onExit = (): void => answer.resolve(UNLOADED);
    vitest.once("exit", onExit);
    const timer = setTimeout(() => answer.resolve(CUT_OFF), timeoutMs);
    vitest.send({ ...request, changed: this.#changed });
    this.#changed = [];
    const run = await answer.promise;
    clearTimeout(timer);
    vitest.removeAllListeners("message").removeListener("exit", onExit);
    if (run === CUT_OFF || isOver(vitest)) this.kill();
    return run;
  }

  async #start(): Promise<ChildProcess> {
    const vitest = fork(join(this.#tree.root, "toolbox/controls/warm-vitest.ts"), {
      cwd: this.#tree.root,
      // The bundle that `npm test` makes has every control in place, whatever is switched off in the tree.
      env: { ...process.env, TEST_WARDER: undefined },
      // A process group of its own, which can be ended as one.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#changed = [];
    await Promise.race([once(vitest, "message"), once(vitest, "exit").then(() => Promise.reject(new Error("vitest did not start in the copy of the tree")))]);
    return vitest;
  }
}

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
