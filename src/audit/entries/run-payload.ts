/** What becomes of a run between its start and its end. */
export type RunPayload =
  /** Suspended until a person answers `approval`. */
  | { readonly kind: "run-parked"; readonly approval: string }
  /** Goes on after it was parked, killed, interrupted or over (`was`), under `policy`, which may be another one; `task`: asked for when it was over. */
  | { readonly kind: "run-resumed"; readonly was: string; readonly policy: string; readonly before: string; readonly by: string; readonly task?: string }
  /** A person took it back to a turn: what it said and asked since holds no more, and its workspace is `as-then` or was left `as-it-is`. */
  | {
      readonly kind: "run-rewound";
      readonly rewind: string;
      readonly to: number;
      readonly from: number;
      readonly workspace: "as-then" | "as-it-is";
      readonly by: string;
    }
  /** It begins with what another run said up to a turn, and with its workspace as it was then. */
  | { readonly kind: "run-forked"; readonly from: string; readonly turn: number; readonly workspace: "as-then" | "as-it-is"; readonly by: string }
  /** Written before the sandbox of its browser is opened. `image`: its content digest. */
  | { readonly kind: "browser-opened"; readonly image: string }
  /** What the workspace was after this turn is not kept, so the run cannot go back to it. */
  | { readonly kind: "turn-not-kept"; readonly turn: number; readonly reason: string };
