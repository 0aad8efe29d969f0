/** A command that goes on for long and is spoken with, in a sandbox of its own. */
export type ServedCommand = {
  /** Its program is looked for in the sandbox's `PATH`. */ readonly argv: readonly string[];
  /** Takes what it writes to its standard output; what it returns holds the command up, as `TakeOutput` says. */
  readonly onOutput: (text: string) => unknown;
};

export type Served = {
  /** Sends text to its standard input. Of what it does not read it is ended. */
  write(text: string): void;
  /** Why it ended, as a clause, and the end of what it wrote to its standard error. Never rejects. */
  readonly ended: Promise<{ readonly why: string; readonly noise: string }>;
  /** What it left in a writable root that policy forbids or protects: moved to the quarantine of its run directory. */
  uncovered(): { readonly taken: readonly string[]; readonly faults: readonly string[] };
  /** Ends it with all its processes, and removes the sandbox. Idempotent. */
  close(): Promise<void>;
};
