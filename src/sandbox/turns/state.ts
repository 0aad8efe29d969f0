/** What a run's workspace was after one of its turns: as it began, as a snapshot has it, or nobody knows. */
export type KeptState =
  | { readonly kind: "empty" }
  /** `bytes`: what all its files take; `copied`: what of that the snapshot before did not have. */
  | { readonly kind: "snapshot"; readonly name: string; readonly entries: number; readonly bytes: number; readonly copied: number }
  | { readonly kind: "none"; readonly reason: string };

/** `after`: the number of the newest record of the log by then. */
export type KeptTurn = { readonly turn: number; readonly after: number; readonly atMs: number; readonly state: KeptState };

/** Another run, which is to begin with the workspace of this one. */
export type Branch = { readonly runId: string; readonly directory: string };
