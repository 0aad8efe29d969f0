import type { NewEffect } from "../../model/effects.ts";
import type { Condition, FoundRepository, SimpleCommand, Word } from "../../model/model.ts";

/** A command that another command starts: its words, or a text that a shell reads. */
export type NestedCommand =
  | {
      readonly kind: "argv";
      readonly words: readonly Word[];
      /** The program that starts it. */
      readonly via: string;
      /** It runs in directories that are not known before (`find -execdir`). */
      readonly isElsewhere?: boolean;
      /** It is started like this only where this is so. */
      readonly through?: Condition;
      /** It is started without variables that the sandbox sets: all of them, `HOME` or `PATH`. */
      readonly isStripped?: true;
      /** Where it runs, if not where the command does (`env -C`): an absolute directory, or null when it is not known. */
      readonly directory?: string | null;
    }
  | {
      readonly kind: "script";
      readonly text: Word;
      readonly via: string;
      readonly dialect: "bash" | "sh" | "make";
      /** Its `$0`, `$1` and what follows; absent when they are not known. */
      readonly operands?: readonly Word[];
      /** It reads the standard input of the program that starts it. */
      readonly keepsInput?: boolean;
      /** Start-up files are run first: they may leave the directory, and change what the sandbox sets. */
      readonly isElsewhere?: boolean;
    };

/** What one simple command does by itself, and what it starts. */
export type ProgramReading = {
  readonly effects: readonly NewEffect[];
  /** Commands that the caller must analyse in turn: their effects are not in `effects`. */
  readonly nested: readonly NestedCommand[];
  /** Absolute paths of texts without which this reading is less exact. */
  readonly needs: readonly string[];
  /** `NAME=VALUE` words that reach the environment of what it starts: a nested shell evaluates their values. */
  readonly assigned: readonly Word[];
  /** The repositories whose configuration the program obeys. Undefined: none. */
  readonly repositories: readonly FoundRepository[] | undefined;
  /** The program is a shell that reads its commands from standard input. */
  readonly stdinScript?: {
    readonly via: string;
    readonly dialect: "bash";
    /** Its `$1` and what follows. */
    readonly operands: readonly Word[];
  };
};

/** What the reader of a program needs to know besides the command. */
export type ReadingContext = {
  /** What `~` stands for. */
  readonly home: string;
  /** It is started without the variables that the sandbox sets. */
  readonly isStripped?: true;
  /** Texts that an earlier reading asked for in `needs`; null: measured, and absent. */
  readonly texts?: ReadonlyMap<string, string | null>;
  /** The commands of the pipe before it, the first one first: each is all that writes into the next. */
  readonly pipe?: readonly SimpleCommand[];
};
