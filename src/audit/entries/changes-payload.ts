/** What people do with the changes of a run. */
export type ChangesPayload =
  /** A person is about to land so many changes of a run; which of them there was reason to look at. */
  | { readonly kind: "changes-landing"; readonly count: number; readonly flagged: readonly unknown[]; readonly by: string }
  | {
      readonly kind: "changes-applied";
      readonly applied: readonly unknown[];
      readonly refused: readonly unknown[];
      /** They went onto a new branch, which names this commit; absent: into the workspace. */ readonly branch?: string;
      readonly commit?: string;
      readonly by: string;
    }
  /** A person is about to throw changes of a run away: those under these paths and globs, or all. */
  | { readonly kind: "changes-discarding"; readonly paths: readonly string[]; readonly by: string }
  | { readonly kind: "changes-discarded"; /** Null: all, more than can be listed. */ readonly count: number | null; readonly by: string }
  /** A person is about to take the last landing or discard of a run back, or a part of it. */
  | { readonly kind: "changes-undoing"; readonly paths: readonly string[]; readonly by: string }
  | { readonly kind: "changes-undone"; readonly what: string; readonly undone: readonly string[]; readonly refused: readonly unknown[]; readonly by: string }
  /** A person brought a run onto where its branch is now. */
  | { readonly kind: "changes-rebased"; readonly branch: string; readonly onto: string; readonly commits: number; readonly by: string }
  /** A person is about to push a branch with a run's work, and to have a command open a request for review. */
  | {
      readonly kind: "changes-pushing";
      readonly remote: string;
      readonly urls: readonly string[];
      readonly branch: string;
      readonly commit: string;
      readonly command: readonly string[];
      readonly by: string;
    }
  | {
      readonly kind: "changes-pushed";
      readonly branch: string;
      readonly commit: string;
      readonly isPushed: boolean;
      readonly isOpened: boolean;
      readonly output: string;
      readonly by: string;
    };
