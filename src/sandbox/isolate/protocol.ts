/** What the process of an isolate is told first, in one line of JSON. */
export type IsolateOrder = {
  readonly code: string;
  /** Names of the functions that the script may call. */
  readonly functions: readonly string[];
  readonly nowMs: number;
  readonly seed: number;
  readonly limits: IsolateLimits;
};

export type IsolateLimits = {
  readonly memoryMb: number;
  /** Of the processor, for the script as a whole. */
  readonly cpuMs: number;
  readonly calls: number;
  readonly callBytes: number;
  readonly printedCharacters: number;
  readonly resultCharacters: number;
};

/** The answer to one call; the clock of the script moves with it. */
export type IsolateAnswer = { readonly call: number; readonly isError: boolean; readonly text: string; readonly nowMs: number };

/** What the process says, each in one line. `input` is the JSON of a call's one argument. */
export type IsolateMessage =
  | { readonly kind: "call"; readonly call: number; readonly name: string; readonly input: string }
  /** It waits for answers; without any on their way it never ends. */
  | { readonly kind: "idle"; readonly printed: string }
  | ({ readonly kind: "end" } & IsolateEnd);

export type IsolateEnd = {
  /** JSON; null: it gave none. */
  readonly value: string | null;
  /** Null: it ended by itself. */
  readonly problem: string | null;
  readonly printed: string;
};
