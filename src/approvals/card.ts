/** Everything a person needs to answer one ask. Nothing in it is shortened; hidden characters are made visible when it is rendered. */
export type ApprovalCard = {
  readonly approvalId: string;
  readonly runId: string;
  readonly tool: string;
  /** Canonical JSON of the final arguments. */
  readonly input: string;
  /** Each simple command as quoted argv; empty for a tool that runs no command. */
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly hosts: readonly string[];
  readonly imageDigest: string;
  readonly policyDigest: string;
  readonly rulingDigest: string;
  readonly risk: "low" | "medium" | "high";
  /** The rules that asked: id, reason, file:line. */
  readonly asked: readonly { readonly id: string; readonly reason: string; readonly at: string }[];
  readonly effects: readonly string[];
  readonly expiresAtMs: number;
};

export type ApprovalAnswer =
  | { readonly kind: "granted"; readonly scope: "once" | "this-run"; readonly by: string }
  | { readonly kind: "refused"; readonly scope: "once" | "this-run"; readonly by: string; readonly message?: string }
  /** No person answered: no terminal, closed input, time-out. Told apart from a person's no. */
  | { readonly kind: "nobody"; readonly reason: string };

/** One way to reach a person. */
export type ApprovalChannel = { readonly name: string; ask(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> };
