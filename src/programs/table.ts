import type { EffectKind } from "./effect.ts";
import type { ProjectName } from "./projects.ts";

/**
 * What a word means to the program that takes it. `docs/program-tables.md` explains each for people
 * who write tables.
 */
export const ROLES = [
  "text",
  "read",
  "read-tree",
  "plain-file",
  "chart",
  "compose-file",
  "compose-directory",
  "list",
  "object",
  "charset",
  "write",
  "write-tree",
  "write-stream",
  "write-start",
  "suffix",
  "delete",
  "delete-tree",
  "move",
  "replace",
  "url",
  "host",
  "record",
  "source",
  "target",
  "code",
  "code-file",
  "shell",
  "command",
  "directory",
  "repository",
  "environment",
  "variable",
  "secret",
  "mode",
  "sed-script",
  "awk-program",
  "jq-filter",
  "git-config",
  "git-url",
  "git-format",
  "ssh-option",
  "sql",
  "database",
  "connect-to",
  "fzf-bind",
  "yq-filter",
  "kube-resource",
  "revision",
  "refspec",
  "value",
  "label",
  "macro",
  "npm-query",
  "setting",
  "name",
  "date",
  "data",
  "form",
  "encoded",
  "field",
  "curl-format",
  "header",
  "package",
  "forge",
  "endpoint",
] as const;

export type Role = (typeof ROLES)[number];

/**
 * `inert`: no option does more than the operands do. `named`: the same of options without a `/`, as the name of a
 * file may be one. `gnu`: options may be abbreviated. `first`: options end at the
 * first operand. `apart`: a value is always the next word, never attached to a letter. `lone`: letters are never clustered. `undivided`: `--` ends no options. `answers`: a word that begins
 * with `@`, also as a value, names a file of further words. `tolerant`: a server decides by the verb, so long options that the table does not name pass as text.
 * `same`: the words from the subcommand on are a command of their own. `exact`: an operand means a file or a commit, or which ref is moved, so nobody
 * who granted one word granted another.
 */
export const TRAITS = ["inert", "named", "gnu", "first", "apart", "lone", "undivided", "answers", "tolerant", "same", "exact"] as const;

export type Trait = (typeof TRAITS)[number];

/** The readers in TypeScript that a table may name, for what a table cannot say. */
export const ANALYSERS = ["find", "fd", "tar", "dd", "test", "env", "xargs", "printf", "ps", "busybox", "shell"] as const;
export const REVIEWERS = [
  "curl",
  "here",
  "tree",
  "database",
  "npm-script",
  "make",
  "interpreter",
  "scratch",
  "named",
  "sqlite",
  "duckdb",
  "fed",
  "inspected",
  "sockets",
  "formats",
  "dashed",
  "modes",
  "unpacking",
  "counted",
  "processes",
  "copies",
  "rewriting",
  "fields",
  "plists",
] as const;

/** Where packages come from, by the names of the policy language's registries; `elsewhere`: from one that no policy opens for reading alone. */
export const PACKAGE_SOURCES = ["npm", "pypi", "debian", "crates", "go", "maven", "elsewhere"] as const;

export type AnalyserName = (typeof ANALYSERS)[number];
export type ReviewerName = (typeof REVIEWERS)[number];
export type PackageSource = (typeof PACKAGE_SOURCES)[number];

export type OptionValue =
  | { readonly kind: "none" }
  /** `isOptional`: only a value attached to the option counts (`--color=auto`, `-i.bak`). */
  | {
      readonly kind: "role";
      readonly role: Role;
      readonly isOptional: boolean;
      /** A second word that the option takes (`--arg NAME VALUE`). */ readonly second: Role | null;
    }
  | {
      readonly kind: "one-of";
      readonly values: readonly string[];
      readonly isOptional: boolean;
      /** Without a value attached the option means something else (`-write` of Go's programs). */ readonly isAttached: boolean;
    };

export type OptionSpec = {
  readonly names: readonly string[];
  readonly value: OptionValue;
  readonly effects: readonly EffectKind[];
  /** The role that every operand takes when the option is there. */
  readonly operandRole: Role | null;
  /** The program only lists when the option is there: effects that depend on operands are lifted. */
  readonly isListing: boolean;
  /** Only where no operand stands beside it, with which it means something else. */
  readonly listsAlone: boolean;
  /** The option's value stands in for the first operand (`grep -e`). */
  readonly suppliesFirst: boolean;
};

export type OperandSpec = { readonly role: Role; readonly repeats: boolean };

/** An effect of the node itself, from a number of operands on. */
export type NodeEffect = {
  readonly kind: EffectKind;
  readonly from: number;
  /** An option that only lists lifts it (`!history@0`, `!history@1`). */
  readonly isLifted: boolean;
  /** The files of a project through which alone it comes about (`!runs-code/rust`); null: it always does. */
  readonly through: ProjectName | null;
};

/** A program or one of its subcommands. */
export type ProgramNode = {
  /** The words that lead here: `git remote`. */
  readonly path: string;
  readonly operands: readonly OperandSpec[];
  readonly effects: readonly NodeEffect[];
  readonly traits: ReadonlySet<Trait>;
  /** The host that the network effects of the node are about, when no word names one; `configured`: the program's configuration names it. */
  readonly host: string | null;
  /** It fetches packages from there, with so many operands or more. */
  readonly fetches: { readonly source: PackageSource; readonly from: number } | null;
  /** Reads the raw words instead of the table. */
  readonly analyser: AnalyserName | null;
  /** Adds to what the table says. */
  readonly reviewer: ReviewerName | null;
  readonly options: ReadonlyMap<string, OptionSpec>;
  readonly children: ReadonlyMap<string, ProgramNode>;
  /** Subcommands named by a beginning: `describe-*`. */
  readonly beginnings: readonly { readonly prefix: string; readonly node: ProgramNode }[];
};
