import type { CommandAnalysis } from "../shell/model/model.ts";
import type { Access } from "./policy.ts";

/** What the sandbox of an MCP server shows of this machine, the hosts that it may reach, and the variables that it is given; absent: none. */
export type ServerPlace = {
  readonly server: string;
  readonly roots: readonly { readonly path: string; readonly access: Access }[];
  readonly hosts?: readonly string[];
  readonly env?: readonly string[];
};

/** One effect that a call needs. Paths are absolute and lexically normalised. */
export type Request =
  /** `place`: of the MCP server that runs it, by its own code and in its own sandbox; absent: the run does. */
  | { readonly kind: "command"; readonly text: string; readonly cwd: string; readonly analysis: CommandAnalysis; readonly place?: ServerPlace }
  | { readonly kind: "read"; readonly path: string; readonly isRecursive: boolean }
  | { readonly kind: "write"; readonly path: string }
  /** A path that an MCP server touches by its own code: in its own sandbox, which shows its roots and nothing of the run's. */
  | { readonly kind: "server-path"; readonly use: "read" | "tree" | "write"; readonly path: string; readonly place: ServerPlace }
  | { readonly kind: "connect"; readonly host: string; readonly port: number }
  /** Something of the call goes there, and is more than a question. */
  | { readonly kind: "send"; readonly host: string; readonly port: number }
  | { readonly kind: "invoke"; readonly tool: string }
  | { readonly kind: "remember" }
  /** `proposal`: of a job that does not run before a person confirmed it, or one that a run proposed. */
  | { readonly kind: "schedule"; readonly name: string; readonly proposal?: "made" | "withdrawn" }
  | { readonly kind: "message" }
  /** A sub-agent gets a task: each call of its own is judged by itself. */
  | { readonly kind: "delegate"; readonly task: string }
  /** A person is asked for words, which allow nothing. */
  | { readonly kind: "question"; readonly question: string; readonly choices: readonly string[] }
  /** A run that plans leaves read-only with this plan: whatever a policy says, a person is asked. */
  | { readonly kind: "plan"; readonly plan: string };

/** What a call wants: the tool's canonical name and every request it needs. */
export type CallRequest = {
  readonly tool: string;
  readonly requests: readonly Request[];
};
