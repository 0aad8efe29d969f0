import type { PlaygroundInput } from "../evaluate.ts";
import type { Answer, Question } from "./question.ts";

/** A comparison that takes longer is given up: somebody types, or wrote a pattern that no page should try. */
const PATIENCE_MS = 20_000;

/** Asks a worker, one question at a time: a new question ends the one before. */
export class Evaluator {
  readonly #source: string;
  readonly #shipped: Readonly<Record<string, string>>;
  readonly #show: (answer: Answer) => void;
  #worker: Worker | null = null;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `source`: the text of the worker's program. */
  constructor(source: string, shipped: Readonly<Record<string, string>>, show: (answer: Answer) => void) {
    this.#source = source;
    this.#shipped = shipped;
    this.#show = show;
  }

  ask(input: PlaygroundInput): void {
    const isBusy = this.#timer !== undefined;
    if (isBusy) this.#end();
    this.#asked += 1;
    this.#worker ??= this.#start();
    const question: Question = { id: this.#asked, input, shipped: this.#shipped };
    this.#worker.postMessage(question, { transfer: [] });
    this.#timer = setTimeout(
      () => this.#fail(`It takes longer than ${String(PATIENCE_MS / 1_000)} seconds. \`warder policy diff\` has no such limit.`),
      PATIENCE_MS,
    );
  }

  #start(): Worker {
    const url = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if (data.id !== this.#asked) return;
      this.#settle();
      this.#show(data);
    });
    worker.addEventListener("error", ({ message }) => this.#fail(message));
    return worker;
  }

  #fail(fault: string): void {
    this.#end();
    this.#show({ id: this.#asked, fault });
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #end(): void {
    this.#settle();
    this.#worker?.terminate();
    this.#worker = null;
  }
}
