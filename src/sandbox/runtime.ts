import type { PathFact } from "../policy/facts.ts";
import type { Permit } from "../policy/permit.ts";
import type { Access, GitIdentity, SandboxSettings } from "../policy/policy.ts";
import type { ConnectionRecord } from "./egress/traffic/connection-record.ts";
import type { RegistryAccess } from "./egress/registries/origin.ts";
import type { BrowserOrder } from "./browser/order.ts";
import type { WebRequest } from "./egress/client/web-request.ts";
import type { CredentialUse } from "./egress/secrets/credential.ts";
import type { SpentTraffic } from "./egress/traffic/quotas.ts";
import type { WorkspaceMount } from "./mounts.ts";
import type { Outcome } from "./outcome.ts";
import type { Served, ServedCommand } from "./served-command.ts";
import type { Branch, KeptTurn } from "./turns/state.ts";

export type { ConnectionRecord } from "./egress/traffic/connection-record.ts";
export { MAX_READ_BYTES } from "./supervisor/protocol.ts";

/**
 * A repository whose own files lie outside the workspace, in roots that change with it. Where changes are kept apart, what a run does to both is one set of them.
 */
export type LinkedRepository = {
  /** Real path of the directory that holds objects, refs and configuration. Where changes are kept apart: the last of the roots. */
  readonly path: string;
  /** By which name it knows the workspace among its worktrees; null: the workspace is its only one. */
  readonly worktree: string | null;
};

/** Everything that decides what a container looks like. Depends on policy and machine, never on a verdict (law 4). */
export type SandboxProfile = {
  readonly settings: SandboxSettings;
  /** The content digest (`sha256:…`) of the image that `settings.image` stands for; absent where it names none. */
  readonly image?: string;
  /** Absolute host paths, mounted at the same path inside. The first is the workspace. */
  readonly roots: readonly { readonly path: string; readonly access: Access }[];
  /** The repository of a workspace that is a linked worktree, or whose repository lies elsewhere. Absent: it has its own, none, or none that may change. */
  readonly repository?: LinkedRepository;
  /** Absolute minimatch patterns: matching paths below a root are masked. */
  readonly forbidden: readonly string[];
  /** The same of private keys: what holds nothing but public parts as the session opens is shown as it was then, and cannot be written. */
  readonly keys?: readonly string[];
  /** Absolute minimatch patterns: matching paths below a root are mounted read-only. */
  readonly protected: readonly string[];
  /** Variables that reach a command, values included (from the host's environment by the names that policy passes). */
  readonly env: Readonly<Record<string, string>>;
  /** Who commits inside, unless a repository's own configuration names others. Absent: nobody, and git says so. */
  readonly gitIdentity?: GitIdentity;
  /** Where the registries that policy opens answer. Absent: nowhere. */
  readonly registries?: RegistryAccess;
  /** The path of the host's home; inside, an empty scratch directory unless it is a root. */
  readonly home: string;
  /** Warder's own state, never visible inside. */
  readonly ownPaths: readonly string[];
};

/** Whether a session of this profile keeps its changes apart, to be reviewed: where only reading is allowed there are none. */
export function keepsChanges(profile: Pick<SandboxProfile, "settings" | "roots">): boolean {
  return profile.settings.workspace === "transactional" && profile.roots[0]?.access === "read-write";
}

/** One thing a session does. Its `digestOf` is what a permit authorises. */
export type SandboxAction =
  | {
      readonly kind: "exec";
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly outputBytes: number;
    }
  | { readonly kind: "read-file"; readonly path: string; readonly offset: number; /** Bytes; at most 10 MiB. */ readonly length: number }
  /** Atomic; parents are made inside the root. `expected`: the sha256 that must be there, null: must not exist, absent: whatever. `content`: text, or base64 where `encoding` says so. */
  | { readonly kind: "write-file"; readonly path: string; readonly content: string; readonly encoding?: "base64"; readonly expected?: string | null }
  | { readonly kind: "list"; readonly path: string; readonly depth: number; readonly maxEntries: number }
  /** The lines with a plain text in them, of a file or of the text files below a directory. */
  | {
      readonly kind: "search";
      readonly path: string;
      readonly text: string;
      /** Letters of ASCII match in either case. */ readonly ignoresCase: boolean;
      readonly maxMatches: number;
      readonly maxPerFile: number;
    }
  | RequestAction
  | BrowseAction
  | JobAction;

/** A request over HTTP through the session's way out. It looks at nothing in the sandbox, and changes nothing there. */
export type RequestAction = { readonly kind: "request"; readonly request: WebRequest };

/** Something done with the session's browser, which sees nothing of the sandbox that commands run in. */
export type BrowseAction = { readonly kind: "browse"; readonly order: BrowserOrder };

/** A command in a lane of its own, which goes on while other actions are performed: frozen as long as one of them is. It ends with the session. */
export type JobAction =
  | {
      readonly kind: "start-job";
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
    }
  /** At most `maxCharacters` of its output, from `from` or where the last one ended; waits for more, `waitMs` at most. */
  | { readonly kind: "read-job"; readonly job: string; readonly from?: number; readonly maxCharacters: number; readonly waitMs: number }
  | { readonly kind: "stop-job"; readonly job: string }
  | { readonly kind: "list-jobs" };

export function isJobAction(action: SandboxAction): action is JobAction {
  return action.kind === "start-job" || action.kind === "read-job" || action.kind === "stop-job" || action.kind === "list-jobs";
}

/** The end of a job, as it is recorded. */
export type JobEnd = {
  readonly job: string;
  readonly outcome: string;
  readonly exitCode: number | null;
  readonly written: number;
  readonly durationMs: number;
};

export type StreamName = "stdout" | "stderr";

/**
 * Takes a part of a command's output. A promise that it returns holds the command up: until it is settled no more is read of what the command writes, so that a
 * slow reader slows it down instead of filling memory. Nobody is waited for beyond the command's time limit, or once it is cancelled. Anything else is ignored.
 */
export type TakeOutput = (stream: StreamName, text: string) => unknown;

export type PerformOptions = {
  readonly signal?: AbortSignal;
  /** Decoded text as it arrives, for a person's eyes; what is cut from the outcome is cut here too. */
  readonly onOutput?: TakeOutput;
};

/** A command that looks at a run: its words, and what it reads on its standard input. */
export type HookCommand = { readonly argv: readonly string[]; readonly input: string; readonly timeoutMs: number };

/** One path of the workspace that a session changed. */
export type Change = {
  /** Relative to the workspace, or absolute where it lies in a repository outside. */
  readonly path: string;
  /** That repository's directory. Absent: it lies in the workspace. */
  readonly repository?: string;
  readonly kind: "added" | "modified" | "deleted" | "mode";
  readonly type: "file" | "directory" | "link" | "other";
  readonly size: number;
  /** Octal mode bits, for files and directories. */
  readonly mode: number;
  /** Extended attributes that differ from the workspace's, access control lists among them: `+NAME` new, `-NAME` gone, `~NAME` another. They never land. */
  readonly attributes?: readonly string[];
  /** How many names the run gave the file (hard links), where they are several: each lands as a file of its own. */
  readonly names?: number;
};

/**
 * A run's sandbox: one warm container, and one for each job. Actions are performed one at a time; metadata verbs need no permit,
 * because what they return goes to the analysis and to no model.
 */
export type Session = {
  readonly id: string;
  readonly runtime: string;
  /** Why no browser can be started beside it, in a sentence; null: one can. */
  readonly noBrowser: string | null;
  /** Why it keeps no jobs beside commands, in a sentence; null: it does. */
  readonly noJobs: string | null;
  /** How the workspace is shown in it. */
  readonly mount: WorkspaceMount;
  /** What was found of its boundary from inside before anything ran: all of it holds, or cannot be seen from there. */
  readonly probed: readonly Property[];
  /** Digest of the image that commands run in. */
  readonly imageDigest: string;
  readonly profile: SandboxProfile;
  /** Files that patterns of keys name, and that were shown nonetheless. */
  readonly publicOnly: ReadonlySet<string>;
  /** Those of them that nothing inside can change. */
  readonly publicHeld: ReadonlySet<string>;
  /** What may hold a private key and is hidden, by a pattern of keys or by what was found in it: files, and directories with all that is in them. */
  readonly privateKeys: ReadonlySet<string>;
  /** Takes what this session knows of secrets out of a text: the values of secret variables, of credentials and of `hidden`. */
  readonly redact: (text: string) => string;
  /** Spends the permit, performs, returns. Throws only for a broken invariant (permit misuse). */
  perform(permit: Permit, action: SandboxAction, options?: PerformOptions): Promise<Outcome>;
  /**
   * Runs a command that looks at the run, in a lane of its own: all of the workspace read-only, no network, none of the policy's variables. Output beyond 10 KiB
   * ends it. It does nothing for a model, so it needs no permit. Never rejects.
   */
  look(command: HookCommand, signal: AbortSignal): Promise<Outcome>;
  /** The first of these programs that such a command would not find; null: all are there. Throws `sandbox-unavailable`. */
  lacks(programs: readonly string[]): Promise<string | null>;
  /** Real paths and types, in the order asked; links are followed as the container would. */
  resolve(paths: readonly string[]): Promise<readonly PathFact[]>;
  /** sha256 of each file, null for what is no readable regular file below 64 MiB. */
  hash(paths: readonly string[]): Promise<readonly (string | null)[]>;
  /** Text of small workspace files for the analysis (`package.json`, `Makefile`): null when absent, forbidden or over 1 MiB. */
  texts(paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** What a file of at most `most` bytes (10 MiB) holds, for the analysis (git's index, a database): null when absent, forbidden or larger. */
  bytes(path: string, most: number): Promise<Buffer | null>;
  /** Every path below a directory, relative to it, no link followed; null where there are too many, or it is not certain that these are all. `depth` 1: right in it. */
  names(directory: string, depth?: 1): Promise<readonly string[] | null>;
  /** Does `work` while every job stands still, so that nothing changes what `work` looks at and then acts on. */
  still<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Keeps what the workspace is now as that of a turn of the run, while jobs stand still. `after`: the number of the newest record of the log. Null: nothing is kept
   * apart in it. What cannot be kept is no fault.
   */
  keepTurn(turn: number, after: number): Promise<KeptTurn | null>;
  /** Lays out what the workspace is now as that of another run, while jobs stand still. Throws `usage` or `sandbox-unavailable` where that cannot be. */
  branch(to: Branch): Promise<void>;
  /** Ends every job and waits for it. */
  stopJobs(): Promise<void>;
  /** Transactional workspaces only; throws `usage` otherwise. */
  changes(): Promise<readonly Change[]>;
  /** Ends every process, removes container and mounts. Idempotent. */
  close(): Promise<void>;
};

export type RuntimeStatus = { readonly isReady: boolean; readonly detail: string; /** What to do when it is not ready. */ readonly remedy?: string };

export type OpenOptions = {
  readonly runId: string;
  /** Directory of this run below Warder's state, mode 0700, for overlay and sockets. */
  readonly runDirectory: string;
  /** Directory below Warder's state that remembers, over all runs, which files hold no private key. Absent: each session reads all files. */
  readonly lookedAt?: string;
  /** A line that the messages of the run's commits end with: `Warder-Run: run-…`. Absent: none. */
  readonly commitTrailer?: string;
  /** Called when a connection through the egress proxy has ended or was refused. When it throws, the session has no network any more and `close` rejects. */
  readonly onConnection?: (record: ConnectionRecord) => void;
  /** What earlier sessions of the run let through, by host: its limits go on from there. */
  readonly spent?: ReadonlyMap<string, SpentTraffic[string]>;
  /** Values of the policy's credentials, by id. They reach the egress proxy and nothing else. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** Called when a job has ended. When it throws, the next action and `close` do. */
  readonly onJobEnd?: (end: JobEnd) => void;
  /** Asked while jobs run: false ends them. Absent: they may. */
  readonly mayGoOn?: () => boolean;
  /** Further values that no output may show, by the names that stand in their place: this process's own keys. */
  readonly hidden?: ReadonlyMap<string, string>;
  /** Called before a credential goes out with a request; false: it must not. When it throws, as above. Absent: none may. */
  readonly onCredentialUse?: (use: CredentialUse) => boolean;
  /** Whether a person stopped the network: asked several times a second, and as long as it says so connections are cut. Must not throw. Absent: never. */
  readonly isNetworkStopped?: () => boolean;
  /** PEM: whom a server's certificate may come from where the proxy itself speaks to it. Absent: whom this process trusts. */
  readonly trusted?: readonly string[];
  /** The content digest of the image that has a browser. Absent: nobody prepared one. */
  readonly browserImage?: string;
  /** Called before a browser's sandbox is opened, with that digest. When it throws, none is. */
  readonly onBrowserOpen?: ((image: string) => void) | undefined;
  /** Addresses of names, given in place of DNS and checked like DNS's. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
};

/** One property of a running sandbox, as it should be and as it is. */
export type Property = {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  /** Null: nothing is demanded, it is only said. */
  readonly isMet: boolean | null;
  /** Whether the engine or host says so, or the kernel to a command inside. */
  readonly seenFrom: "outside" | "inside";
};

/** What was seen of a sandbox from outside and inside, and how its workspace is shown. */
export type Inspection = { readonly mount: WorkspaceMount; readonly properties: readonly Property[] };

export type Runtime = {
  readonly name: "docker" | "bubblewrap";
  /** Looks whether the engine answers and the image is there. Never throws. */
  check(): Promise<RuntimeStatus>;
  /** Throws `sandbox-unavailable` with what is missing and what to do; then nothing is left behind. */
  open(profile: SandboxProfile, options: OpenOptions): Promise<Session>;
  /** Opens a sandbox as `open` does for one command, which needs no permit: nothing of it is a model's. Throws what `open` throws. */
  serve(profile: SandboxProfile, options: OpenOptions, command: ServedCommand): Promise<Served>;
  /** Opens a sandbox as `open` does, looks at it from outside and inside, and closes it. Throws what `open` throws. */
  inspect(profile: SandboxProfile, options: OpenOptions): Promise<Inspection>;
  /** Removes what dead owners left (containers, mounts), by label and run directory. Returns one line for each. */
  reap(stateDirectory: string): Promise<readonly string[]>;
};

/** The longest text of a file that the analysis reads: 1 MiB. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** The most names below a directory that the analysis reads. A project with the packages of Node.js has some 24,000. */
export const MAX_NAMES = 100_000;
