import type { EffectKind } from "../../programs/effect.ts";

/** Half-open range of UTF-16 offsets into the text that was analysed. */
export type Span = { readonly start: number; readonly end: number };

/** Why a word's value cannot be known before the command runs. */
export type DynamicReason =
  | "parameter"
  | "command-substitution"
  | "process-substitution"
  | "arithmetic"
  | "brace-expansion"
  | "tilde"
  | "appended-by-wrapper"
  | "loop-variable";

export type Word =
  | { readonly kind: "literal"; readonly value: string; readonly quoted: boolean; readonly span: Span }
  /** Holds an unquoted `*`, `?`, `[…]`: names files, never a program. `glob` keeps quoted characters escaped with `\`. */
  | {
      readonly kind: "pattern";
      readonly glob: string;
      /** The words are not the shell's work: they are this path, and paths below it at any depth, which another command found. */
      readonly root?: string | undefined;
      /** Where this is so, the words are others. Only while a command is read. */
      readonly unless?: OddNames | undefined;
      /** True: certain to be one word, the name of a file that a loop found. */
      readonly isSingle?: true | undefined;
      readonly span: Span;
    }
  /** `prefix`: the literal text the value is certain to begin with (`--out="$d"` has `--out=`). */
  | {
      readonly kind: "dynamic";
      readonly reason: DynamicReason;
      readonly prefix: string;
      /** True: certain to stay exactly one word (`"$x"`). Absent: it may vanish or become several. */
      readonly isSingle?: boolean | undefined;
      /** True: nothing feeds what it would be made of, so that there is no file of this name to read. */
      readonly isAbsent?: boolean | undefined;
      /** True: nothing but digits, or nothing at all (`$(wc -l < f)`). */
      readonly isNumeric?: boolean | undefined;
      /** True: it may become several numbers (`$(seq 3)`). */
      readonly isSeveral?: boolean | undefined;
      /** True: names of commits, and ranges of them (`$(git merge-base main HEAD)..HEAD`), or nothing. */
      readonly isCommit?: boolean | undefined;
      /** True: a part of it is a pattern, for which the shell reads the names in a directory. */
      readonly isPattern?: boolean | undefined;
      /** What stands in the file that the word names: the text of `<(echo …)`. */
      readonly content?: string | undefined;
      /** True: the name of a pipe that a command of the text fills (`<(ls)`), and no other file's. */
      readonly isPipe?: boolean | undefined;
      readonly span: Span;
    };

export type RedirectionEffect = "read" | "write" | "append" | "read-write" | "network" | "duplicate" | "text";

export type Redirection = {
  /** The file descriptor that is redirected; null when it is named by a variable (`{fd}>f`). */
  readonly fd: number | null;
  readonly operator: string;
  readonly target: Word;
  readonly effect: RedirectionEffect;
  readonly span: Span;
};

export type Stdin =
  /** `isEmpty`: nothing in the text feeds it, so that it is what every command of the agent gets: `/dev/null`. */
  | { readonly kind: "inherited"; readonly isEmpty?: true }
  /** `from`: index of the simple command that writes into it. `isAlone`: nothing else writes into it, neither another command nor its errors. */
  | { readonly kind: "pipe"; readonly from: number; readonly isAlone?: true }
  | { readonly kind: "file"; readonly target: Word }
  | { readonly kind: "text"; /** Here-document or here-string. */ readonly text: Word };

/** The working directory of a simple command, after the `cd`s that ran before it for certain. */
export type WorkingDirectory = { readonly kind: "known"; readonly path: string } | { readonly kind: "unknown"; readonly reason: string };

/** Where a simple command stands: innermost last. */
export type CommandContext =
  | "pipeline"
  | "subshell"
  | "group"
  | "loop"
  | "condition"
  | "function"
  | "trap"
  | "command-substitution"
  | "process-substitution"
  | "background"
  | "coproc"
  | "nested-shell";

export type SimpleCommand = {
  readonly argv: readonly Word[];
  /** Base name of a literal `argv[0]` that has no `/`, or the whole literal; null when it is not literal. */
  readonly program: string | null;
  readonly assignments: readonly { readonly name: string; readonly value: Word | null; readonly append: boolean; readonly span: Span }[];
  readonly redirections: readonly Redirection[];
  readonly stdin: Stdin;
  /** The programs that were unwrapped to reach this one, outermost first: `["sudo", "env"]`. */
  readonly via: readonly string[];
  readonly contexts: readonly CommandContext[];
  readonly cwd: WorkingDirectory;
  /** It stands for words that are to be feared where this is so, and for nothing where it is not. */
  readonly through?: Condition;
  readonly span: Span;
};

export type UndecidableCode =
  | "too-long"
  | "too-many-nodes"
  | "too-deep"
  | "too-slow"
  | "hidden-character"
  | "not-utf16"
  | "line-continuation"
  | "parse-error"
  | "uncovered-substitution"
  | "dynamic-program"
  | "pattern-program"
  | "reserved-word"
  | "hot-variable"
  | "subscript"
  | "arithmetic"
  | "indirect-expansion"
  | "prompt-expansion"
  | "shell-option"
  | "alias"
  | "evaluated-text"
  | "sourced-file"
  | "function-override"
  | "unsupported-syntax"
  | "analysis-failed";

export type Undecidable = { readonly code: UndecidableCode; readonly span: Span; readonly text: string };

/** What a path operand names. Paths are absolute and lexically normalised (`.` and `..` resolved), after `cd` and `~`. */
export type PathOperand =
  | { readonly kind: "literal"; readonly path: string }
  /** `directory` is the literal part before the first pattern component; `glob` the whole absolute pattern, in which that part is escaped. */
  | { readonly kind: "pattern"; readonly directory: string; readonly glob: string }
  | { readonly kind: "dynamic"; readonly prefix: string };

export type HostOperand =
  | { readonly kind: "literal"; readonly host: string; readonly port: number | null }
  /** No word of the command decides it: the configuration of the program does, the user's or the project's (`git fetch`, `kubectl get`). */
  | { readonly kind: "configured" }
  | { readonly kind: "dynamic"; readonly prefix: string };

/** One thing that a simple command does to the world, and the words that cause it. */
export type Effect = {
  readonly kind: EffectKind;
  /** Index into `simples`; -1 when the effect belongs to the text as a whole (undecidable). */
  readonly simple: number;
  /** One sentence for a person: "`-o out.txt` names a file that sort writes". */
  readonly cause: string;
  readonly span: Span;
  /** With `reads`, `writes`, `deletes`, and `runs-code` of a file. */
  readonly path?: PathOperand | undefined;
  /** With `connects`, `sends`, `remote`, `publishes`. */
  readonly host?: HostOperand | undefined;
  /** Recursive or unbounded (`rm -rf`, `find -delete`). */
  readonly isWide?: boolean | undefined;
  /** It comes about through this alone: where that is certain not to be so, it does not. Only in a text that leaves files and variables as they are. */
  readonly through?: Condition | undefined;
};

/** What only the files can tell, which the analysis does not read: the gate measures it. */
export type Condition = ProjectFiles | PlainSchema | OddNames | NamedFiles | OptionNames;

/** One of these is there. Files that a program looks for by itself, absolute: in a directory and in those above it; apart from them those right in the home. */
export type ProjectFiles = {
  readonly kind: "files";
  readonly directory: string;
  readonly files: readonly string[];
  readonly homeFiles: readonly string[];
};

/** The file of this SQLite database, absolute, holds more than ordinary tables and indexes, or one of these, in lower case, is not among its tables. */
export type PlainSchema = { readonly kind: "plain-schema"; readonly database: string; readonly tables: readonly string[] };

/**
 * A name below one of these, absolute and named in full, is not plain: a program that splits a text into words takes it for other words. Unless it stands
 * behind its start (`paths`), it could also be an option's at the beginning of a word (`bare`; `listed`: only names right in the start; `tracked`: those that git has in its index, on the disk
 * or not).
 */
export type OddNames = { readonly kind: "odd-names"; readonly starts: readonly string[]; readonly as: "paths" | "bare" | "listed" | "tracked" };

/** A name right in the directory, absolute, may be more than a file's to a program that finds it among its words: an option, an assignment, a host. */
export type OptionNames = { readonly kind: "option-names"; readonly directory: string };

/** Something lies right in the directory, absolute, whose name has this beginning. */
export type NamedFiles = { readonly kind: "named-files"; readonly directory: string; readonly beginning: string };

/**
 * A repository that a command of git obeys: the one that git finds from a directory, absolute, and its submodules. What its configuration names, git runs.
 * The analysis does not read it: the gate measures it.
 */
export type ObeyedRepository = {
  /** Index into `simples`. */
  readonly simple: number;
  /** The words that name the program: `git status`. */
  readonly program: string;
  readonly span: Span;
  readonly directory: string;
  /** It starts the few hooks alone that every look may start (`post-index-change`). */
  readonly isCalm: boolean;
  /** It asks a remote. */
  readonly isConnecting: boolean;
  /** What it does, or another command of the text, may make a submodule of any repository below: git then starts itself there. */
  readonly gainsSubmodules: boolean;
  /** The text may make the directory, or what stands in it, before git looks there. */
  readonly mayAppear: boolean;
  /** Another command of git in the text may put files into the directory or those above, and a few of them make it a bare repository. */
  readonly mayBecomeBare: boolean;
};

/** The same while a command is read; `directory` null: which one is known only when it runs. */
export type FoundRepository = Pick<ObeyedRepository, "program" | "span" | "isCalm" | "isConnecting" | "gainsSubmodules" | "mayAppear"> & {
  readonly directory: string | null;
};

/** What is known of a command text before it runs. */
export type CommandAnalysis = {
  readonly text: string;
  readonly simples: readonly SimpleCommand[];
  readonly effects: readonly Effect[];
  /** Not empty: the verdict is at least high. Each entry also stands in `effects` as `undecidable`. */
  readonly undecidable: readonly Undecidable[];
  /** Absolute paths of workspace texts without which the analysis is less exact (`package.json`, `Makefile`). */
  readonly needs: readonly string[];
  /** Repositories whose configuration decides what these commands do besides `effects`. Absent: none. */
  readonly repositories?: readonly ObeyedRepository[];
  /** None of these was so, and what comes about {@link Effect.through} them was left out. */
  readonly without?: readonly Condition[];
  readonly parse: "ok" | "failed";
};

export type AnalysisContext = {
  /** Absolute path of the directory the command starts in. */
  readonly cwd: string;
  /** What `~` and `$HOME` stand for. */
  readonly home: string;
  /** Texts that an earlier analysis asked for in `needs`; null: measured, and absent. */
  readonly texts?: ReadonlyMap<string, string | null>;
};
