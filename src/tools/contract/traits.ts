/** How much a tool may do at most: look; change the workspace; run code, reach the network or spend. */
export type Tier = "read-only" | "workspace-write" | "danger";

/** What becomes of a tool's results in a long conversation. */
export type HistoryPolicy = {
  /** False: an old result stays whole as long as the conversation holds it. */
  readonly isCompactable: boolean;
  /** Its newest result is the plan of the run: no summary of the conversation drops it. */
  readonly pinsActivePlan: boolean;
  /** The argument that is this plan; absent: the result is. */
  readonly planArgument?: string;
  /** Of old results whose arguments of this name are equal, the newest alone is kept when space is short. */
  readonly dedupArgument?: string;
  /** The argument that says in a line what a result was that is no longer there. */
  readonly summaryArgument?: string;
};

/** What makes two calls the same to the watch that notices a model going in circles. */
export type IdentityPolicy =
  /** All final arguments. */
  | { readonly kind: "arguments" }
  /** One argument that names what is worked on, and one that says what is done with it. */
  | { readonly kind: "target"; readonly targetArgument: string; readonly operationArgument?: string }
  | { readonly kind: "function"; readonly of: (input: unknown) => string };

/** What differs from tool to tool. Each has a default, and the default is the careful one. */
export type ToolTraits = {
  /** The whole batch of calls that it is in runs one after the other. Default: true. */
  readonly exclusiveSandbox: boolean;
  /** It may run beside other calls. Default: false; then it waits for those before it, and those behind it wait. */
  readonly parallelSafe: boolean;
  /** It takes one of the calls that a turn may have. Default: true. */
  readonly countsTowardCallLimit: boolean;
  /** Its result is a vote on whether the run is done; without `terminate` it votes no. Default: true. */
  readonly countsTowardTermination: boolean;
  /** When it fails, the other calls of its batch are cancelled. Default: false. */
  readonly abortsSiblingsOnError: boolean;
  /** Characters of a result that stay once newer results have come. Default: 32,000. */
  readonly maxResultChars: number;
  /** Default: compactable, and no plan. */
  readonly history: HistoryPolicy;
  /** Default: all arguments. */
  readonly identity: IdentityPolicy;
  /** Default: danger. */
  readonly tier: Tier;
  /** Where its sub-agents work: in this workspace, or each in an overlay of its own over it, whose changes are merged by a call. Default: shared. */
  readonly subAgents: "shared" | "own-overlay";
  /** When it counts as hung, or `policy`: two minutes after the policy's limit for a command; or `run`: when the run's time is over. Default: 120,000. */
  readonly timeoutMs: number | "policy" | "run";
};

export const DEFAULT_TRAITS: ToolTraits = Object.freeze({
  exclusiveSandbox: true,
  parallelSafe: false,
  countsTowardCallLimit: true,
  countsTowardTermination: true,
  abortsSiblingsOnError: false,
  maxResultChars: 32_000,
  history: Object.freeze({ isCompactable: true, pinsActivePlan: false }),
  identity: Object.freeze({ kind: "arguments" }),
  tier: "danger",
  subAgents: "shared",
  timeoutMs: 120_000,
});

/** The longest that any tool may take: ten minutes and what a tool does around its command. */
export const MAX_TOOL_TIMEOUT_MS = 720_000;
