import { existsSync, realpathSync, statSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { shippedNames } from "../../config/shipped-policies.ts";
import { realPath as withLinksResolved } from "../../config/policy/files.ts";
import type { PolicyBase } from "../../config/policy/held-texts.ts";
import { loadForReview, ownFileOf, loadPolicy, originOf, type LoadedPolicy, type LoadPolicyOptions } from "../../config/policy/load.ts";
import type { Settings } from "../../config/settings.ts";
import { readSettings } from "../../config/settings-file.ts";
import { homeDirectory, namedStateDirectory, stateDirectory } from "../../config/state/directory.ts";
import { addHooks } from "../../policy/compiling/add-hooks.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import type { Policy } from "../../policy/policy.ts";
import { renderDiagnostics } from "../../policy/text/diagnostic.ts";

/** A workspace and the policy that rules it, as every command that decides something needs them. */
export type WorkspaceContext = {
  readonly policy: Policy;
  /** The policy's own file as a person named it, absolute: a link in it is followed anew each time. */
  readonly policyNamed: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  /** Warder's state and the policy's files: never read, never written by a call. */
  readonly ownPaths: readonly string[];
  /** The revision that the policy was read from, and what the working tree says otherwise; null: it was read as it stands. */
  readonly base: PolicyBase | null;
};

/**
 * Loads the policy for a workspace, or takes one that was loaded for it. Throws `usage` when the workspace is no directory, or another than
 * the policy was loaded for, and `bad-policy` with every diagnostic when the policy cannot be loaded.
 */
export function readContext(policy: string | LoadedPolicy, workspace: string): WorkspaceContext {
  const places = placesOf(workspace);
  const loaded = typeof policy === "string" ? loadFor(policy, places, loadPolicy) : policy;
  return { ...contextOf(loaded, places), policyNamed: namedOf(loaded, places) };
}

/** What a command needs that judges by a policy and runs nothing. No run can begin with it. */
export type ReviewContext = Omit<WorkspaceContext, "policyNamed"> & {
  /** The name by which its own statements say where they stand; what it extends has others. */
  readonly ownFile: string;
  /** The files of the policy that an agent could have written and nobody confirmed. */
  readonly unconfirmed: readonly string[];
};

/**
 * Loads a policy to look at it: also one that nobody confirmed for runs in `runsIn`, which is the workspace where it is not said. `isAsRun`: from the revision that a run
 * would take it from; else as the file stands. Throws as
 * {@link readContext} does for everything else.
 */
export function readForReview(policy: string, workspace: string, { runsIn = workspace, isAsRun = false } = {}): ReviewContext {
  const { projects, ...own } = placesOf(workspace);
  const places = { ...own, projects: isAsRun ? projects : { ...projects, from: null } };
  const { loaded, unconfirmed } = loadFor(policy, places, (name, options) => loadForReview(name, { ...options, runsIn }));
  return { ...contextOf(loaded, places), ownFile: ownFileOf(loaded), unconfirmed };
}

type Places = Required<Omit<LoadPolicyOptions, "directory" | "organisation">> & Pick<Settings, "hooks">;

function placesOf(workspace: string): Places {
  const state = stateDirectory(process.env);
  const { projects, hooks } = readSettings(state);
  return { workspace: realDirectory(workspace), home: realDirectory(homeDirectory()), stateDirectory: state, projects, hooks };
}

function contextOf({ policy, base }: LoadedPolicy, { workspace, home, stateDirectory: state, hooks }: Places): Omit<WorkspaceContext, "policyNamed"> {
  const ownPaths = [...new Set([namedStateDirectory(process.env), state, realPath(state), ...policy.files])];
  return { policy: withUsersHooks(policy, hooks), workspace, home, ownPaths, base };
}

/** A policy with the hooks of the user's settings behind its own. Throws `bad-configuration` for one that a run could change, or whose name is taken. */
function withUsersHooks(policy: Policy, hooks: Places["hooks"]): Policy {
  const added = addHooks(policy, hooks, { realPath: withLinksResolved });
  if ("policy" in added) return added.policy;
  throw new AgentError("bad-configuration", renderDiagnostics(added.problems, new Map()));
}

/** A shipped policy that refuses the home as a workspace is no fault of the policy: it is told in words about the home. */
function loadFor<T>(policy: string, options: Places, load: (policy: string, options: Places) => T): T {
  try {
    return load(policy, options);
  } catch (error) {
    const { workspace, home } = options;
    if (!(error instanceof AgentError) || !isWithin(home, workspace) || !shippedNames().includes(policy)) throw error;
    throw new AgentError(
      "usage",
      `${workspace} ${workspace === home ? "is" : "holds"} your home, and whoever may write there can change what you run and who may log in.`,
      {
        cause: error,
        remedy: "Name a project below it: --workspace DIRECTORY",
      },
    );
  }
}

/** The file of a policy that a program loaded before. Its paths, and whether it is trusted, were settled then: for these places or for others. */
function namedOf(loaded: LoadedPolicy, { workspace, home, stateDirectory: state }: Places): string {
  const origin = originOf(loaded);
  const remedy = "Load it for this workspace: loadPolicy(NAME_OR_PATH, { workspace })";
  if (origin === null) throw new AgentError("bad-policy", "The policy is none that loadPolicy has loaded, so nobody has checked it.", { remedy });
  if (origin.workspace === workspace && origin.home === home && origin.stateDirectory === realPath(state)) return origin.named;
  throw new AgentError("usage", `The policy ${loaded.policy.name} was loaded for ${origin.workspace}, and is to rule ${workspace}.`, { remedy });
}

/** The directories that an agent in this workspace may write to. */
export function writablePlaces({ workspace, policy }: WorkspaceContext): readonly string[] {
  return [workspace, ...policy.workspace.roots.flatMap(({ access, path }) => (access === "read-write" ? [path] : []))];
}

/** The real path of a directory that a person named. Throws `usage` where it is none. */
export function realDirectory(path: string): string {
  // To the system an empty name is the directory that one stands in: what a variable left that was not set.
  if (path === "") throw new AgentError("usage", "The name of the directory is empty: name the workspace, or `.` for this directory.");
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new AgentError("usage", `The directory ${path} cannot be used: ${faultOf(error)}.`, {
      cause: error,
      remedy: "Name a directory that is there and that you may enter: --workspace DIRECTORY",
    });
  }
  throw new AgentError("usage", `${path} is no directory.`, { remedy: "Name the directory that holds it: --workspace DIRECTORY" });
}

function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "it does not exist" : code === "EACCES" ? "this user may not enter it" : message;
}

/** The state directory may be a link, and need not be there yet. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
