import type { AgentsHandle, RunHandle, ScheduleHandle, ServerAsksHandle, SkillsHandle } from "./run-handles.ts";
import type { z } from "zod";
import type { Label } from "../../policy/label.ts";
import type { MemoryCategory, MemoryScope } from "../../store/rows/memories.ts";
import type { Request, ServerPlace } from "../../policy/request.ts";
import type { Outcome } from "../../sandbox/outcome.ts";
import type { FileAnswer, SyntaxTask } from "../../sandbox/syntax/task.ts";
import type { ToolTraits } from "./traits.ts";
import type { BrowserHandle, DocumentsHandle, WebHandle } from "./web-handles.ts";

export type { AgentsHandle, Delegation, DelegationEnd, HandedChange } from "./run-handles.ts";

/** What a tool is told about its surroundings when it states what it wants. */
export type ToolSetting = {
  /** Absolute path of the workspace; relative paths in arguments start here. */
  readonly workspace: string;
  readonly home: string;
  /** What the person configured to search the web with. Absent: nothing. */
  readonly search?: SearchEngine | null;
};

/** `plain`: any server that answers `?q=WORDS&count=NUMBER` with `{ "results": [{ "title", "url", "snippet" }] }`. */
export const SEARCH_KINDS = ["searxng", "brave", "plain"] as const;

/** `url`: absolute, to which the words are added as `q`. Whatever key it wants is the policy's to add. */
export type SearchEngine = { readonly kind: (typeof SEARCH_KINDS)[number]; readonly url: string };

/** The session's file verbs. Each call must be covered by a request of this tool call, or it is refused. */
export type FilesHandle = {
  read(path: string, offset: number, length: number): Promise<Outcome>;
  write(path: string, content: string, expected?: string | null): Promise<Outcome>;
  /** Makes a file of bytes, given in base64; a `conflict` where one is there. */
  create(path: string, base64: string): Promise<Outcome>;
  list(path: string, depth: number, maxEntries: number): Promise<Outcome>;
  /** Removes files that this very call made, because it cannot be carried out as a whole. */
  takeBack(paths: readonly string[]): Promise<Outcome>;
  /** The lines with a plain text in them, of a file or of the text files below a directory. */
  search(path: string, text: string, limits: SearchLimits): Promise<Outcome>;
};

/** `ignoresCase`: letters of ASCII match in either case. The numbers are of lines: 1 to 100,000. */
export type SearchLimits = { readonly ignoresCase: boolean; readonly maxMatches: number; readonly maxPerFile: number };

/** JSON for a language server. `awaits`: a text of the answer that is waited for; null: none is. */
export type Message = { readonly text: string; readonly awaits: string | null };

/** Runs the command text that this call requested, or a program with fixed argv over paths it may read. */
export type ShellHandle = {
  run(text: string, cwd: string, timeoutMs?: number): Promise<Outcome>;
  /** `rg` with the given arguments, reading only below `path`. */
  search(path: string, rgArguments: readonly string[]): Promise<Outcome>;
  /** The command of a language server, which this call requested, and what it answers to these messages: a line for each answer that was waited for. */
  converse(text: string, cwd: string, messages: readonly Message[]): Promise<Outcome>;
};

/** The run's jobs: commands that go on while the model does something else, and end with the run's sandbox. */
export type JobsHandle = {
  /** Starts the command text that this call requested. */
  start(text: string, cwd: string): Promise<Outcome>;
  /** Output from the character `from`, or from where the last look ended; waits for more, `waitMs` at most. */
  read(job: string, waitMs: number, from?: number): Promise<Outcome>;
  stop(job: string): Promise<Outcome>;
  list(): Promise<Outcome>;
};

/** A part of a text, in bytes of the whole: from the first to before `next`. */
export type ArtifactPage = {
  readonly text: string;
  readonly from: number;
  readonly next: number;
  readonly total: number;
  /** Of the whole. */ readonly labels: readonly Label[];
};

/** Results of this run that were too long. */
export type ArtifactsHandle = {
  /** Null: this run has no such artifact. */
  read(artifact: string, from: number, length: number): Promise<ArtifactPage | null>;
};

/** JavaScript that calls this run's tools. What is left out of clock and chance is the same again when the run goes on after it was interrupted. */
export type ScriptProgram = { readonly code: string; readonly nowMs?: number; readonly seed?: number };

export type ScriptEnd =
  | {
      readonly kind: "ended";
      /** What it returned, as JSON; null: it did not come to its end, and `problem` says why. */
      readonly value: string | null;
      readonly problem: string | null;
      readonly printed: string;
      /** Calls that were answered, of them with an error; begun and not awaited; asked for and never begun. */
      readonly calls: { readonly answered: number; readonly failed: number; readonly unawaited: number; readonly notBegun: number };
    }
  | { readonly kind: "not-started"; readonly reason: string }
  /** A call of it waits for a person, and so does the script. */
  | { readonly kind: "parked"; readonly approvalId: string };

/** Scripts: each call that one makes is judged, carried out and recorded by itself, as a call of the model is. */
export type ScriptsHandle = {
  run(program: ScriptProgram): Promise<ScriptEnd>;
};

export type PlanHandle = {
  /** Says that the plan which this call requested, and a person approved, is carried out from now on. Gives why it is not; null: it is. */
  leave(plan: string): Promise<string | null>;
};

/** Parsers, in a process of its own: they read text that they are given, and reach nothing. */
export type SyntaxHandle = {
  /** An answer for each file, in their order. */
  read(task: SyntaxTask): Promise<readonly FileAnswer[]>;
};

export type MemoryQuery = { readonly words: string; readonly scope?: MemoryScope; readonly category?: MemoryCategory; readonly limit: number };

/** An entry, with where all came from that its writer had been given. */
export type RecalledMemory = {
  readonly id: string;
  readonly scope: MemoryScope;
  readonly category: MemoryCategory;
  readonly text: string;
  readonly run: string;
  readonly atMs: number;
  readonly labels: readonly Label[];
};

type MemoryChange = { readonly kind: "done"; readonly id: string } | { readonly kind: "refused"; readonly reason: string };

/** What runs keep for later ones. Changing it wants the request `remember`. */
export type MemoryHandle = {
  store(entry: { readonly text: string; readonly category: MemoryCategory; readonly scope: MemoryScope }): Promise<MemoryChange>;
  recall(query: MemoryQuery): Promise<readonly RecalledMemory[]>;
  forget(id: string): Promise<MemoryChange>;
};

/** The person whose run it is. */
export type PersonHandle = {
  /** Shows them a text, which wants the request `message`. Gives why it was not sent; null: it was. */
  tell(text: string): Promise<string | null>;
  /** What they answered to the question that the call requested, or why there is no answer. */
  answer(): Promise<{ readonly words: string } | { readonly problem: string }>;
};

export type ClockHandle = {
  /** Waits. False: the call was ended before its time was over. */
  sleep(ms: number): Promise<boolean>;
};

export type Handles = {
  readonly files: FilesHandle;
  readonly shell: ShellHandle;
  readonly jobs: JobsHandle;
  readonly artifacts: ArtifactsHandle;
  readonly agents: AgentsHandle;
  readonly plan: PlanHandle;
  readonly memory: MemoryHandle;
  readonly person: PersonHandle;
  readonly clock: ClockHandle;
  readonly schedule: ScheduleHandle;
  readonly skills: SkillsHandle;
  readonly run: RunHandle;
  readonly syntax: SyntaxHandle;
  readonly web: WebHandle;
  readonly browser: BrowserHandle;
  readonly documents: DocumentsHandle;
  readonly scripts: ScriptsHandle;
  readonly serverAsks: ServerAsksHandle;
};

export type ToolContext = ToolSetting & {
  readonly callId: string;
  /** The tool's canonical name. */
  readonly toolName: string;
  /** Aborts when the run is cancelled, and when the call has ended. */
  readonly signal: AbortSignal;
  readonly handles: Handles;
  /** Tells whoever watches, in a line. Never reaches the model; ignored once the call has ended. */
  readonly progress: (text: string) => void;
  /** The same with a part of what is coming, as JSON. */
  readonly update: (value: unknown) => void;
  /** Reads of this run: sha256 by absolute path; an overwrite wants the hash of what was read. */
  readonly seen: Map<string, string>;
};

/** Every provider takes these four. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** `data` is base64. */
export type ImagePart = { readonly kind: "image"; readonly mediaType: ImageType; readonly data: string };
export type ContentPart = { readonly kind: "text"; readonly text: string } | { readonly kind: "json"; readonly value: unknown } | ImagePart;

/** What goes back to the model for one call. */
export type ToolResult = {
  readonly content: readonly ContentPart[];
  readonly isError: boolean;
  /** Whose words these are; what comes out of the sandbox or from outside is `untrusted`. */
  readonly label: "trusted" | "untrusted";
  /** Where values in it came from that the tool hands on, as from a memory; the gate adds what it knows of the call. Absent: nothing beside that. */
  readonly labels?: readonly Label[];
  /** The run of the sub-agent whose result this is. */
  readonly childRunId?: string;
  /** A vote that the run is done. */
  readonly terminate?: boolean;
  /** For events and logs, never for the model. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/** What has to be there for a tool to be offered. It says nothing of what is allowed: the policy decides each call all the same. */
export type Need =
  /** In the sandbox's `PATH`. */
  | { readonly kind: "program"; readonly program: string }
  /** A key of the person's settings that names something. */
  | { readonly kind: "setting"; readonly key: string }
  /** A browser beside the sandbox. */
  | { readonly kind: "browser" }
  /** A sandbox that keeps jobs beside commands. */
  | { readonly kind: "jobs" }
  /** Somebody who answers: at once, or while the run waits. */
  | { readonly kind: "person" }
  /** A skill that a person confirmed. */
  | { readonly kind: "skill" }
  /** A policy that names the tool in `tools: allow` by more than `*`. */
  | { readonly kind: "named" };

/** A tool, made by `defineTool`. It holds no authority; it states what it wants and receives handles. */
export type Tool<Schema extends z.ZodType = z.ZodType> = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** A strict object: unknown keys are refused. */
  readonly schema: Schema;
  readonly traits: ToolTraits;
  /** Absent: nothing. */
  readonly needs?: readonly Need[];
  /** Maps near-miss arguments (`cmd` → `command`) before validation. Must not read anything else. */
  prepare?(input: Record<string, unknown>): Record<string, unknown>;
  /** What no schema can say: a sentence for the model, or null. */
  validate?(input: z.output<Schema>): string | null;
  /** Pure: every effect the call needs. */
  requests(input: z.output<Schema>, setting: ToolSetting): readonly ToolRequest[];
  /** Pure: what it makes of the one file that it writes, so that a person can be shown it before. */
  rewrites?(input: z.output<Schema>, setting: ToolSetting): Rewrite;
  /** Pure: which files of a sub-agent it writes, so that a person can be shown them before. */
  takes?(input: z.output<Schema>, setting: ToolSetting): TakenFiles;
  execute(input: z.output<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** `after`: the text from the one that is there (null: none), or why nothing would come of it. */
export type Rewrite = {
  readonly path: string;
  readonly after: (before: string | null) => { readonly text: string } | { readonly problem: string };
  /** Why the tool leaves the file alone, by its digest (null: none is there) and the digest that the run last saw. */
  readonly refuses?: (now: string | null, seen: string | undefined) => string | null;
};

/** Absolute paths of files as a sub-agent left them in an overlay of its own. */
export type TakenFiles = { readonly agent: string; readonly paths: readonly string[] };

/** A request before analysis: the gate turns a command text into a model. */
export type ToolRequest =
  | Exclude<Request, { kind: "command" }>
  | { readonly kind: "command"; readonly text: string; readonly cwd: string; readonly place?: ServerPlace };

export type ToolCall = { readonly id: string; readonly name: string; readonly input: unknown };

/** The words of a result; an image is named. */
export function resultText({ content }: Pick<ToolResult, "content">): string {
  return content
    .map((part) => (part.kind === "text" ? part.text : part.kind === "json" ? (JSON.stringify(part.value) ?? "null") : `[${part.mediaType}]`))
    .join("\n");
}

/** What Warder itself has to say of a command that ran, a line each. */
export function notesOf({ details = {} }: ToolResult): readonly string[] {
  return (details["notes"] as readonly string[] | undefined) ?? [];
}
