import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import { appendAudit } from "../audit/log/log.ts";
import { systemClock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { browserImage, type PreparedImage, imagesByName, readImages, writeImages } from "../config/state/images.ts";
import { isStopped, STOPPED_ADVICE } from "../gate/stop-switch.ts";
import { untilStopped } from "../gate/stop-watch.ts";
import { isHostPattern } from "../policy/matching/hosts.ts";
import { imageFault, isImageDigest } from "../policy/language/image-name.ts";
import type { ImageReport, ImageWorkshop, KeptPath } from "../sandbox/image/workshop.ts";
import type { ConnectionRecord, OpenOptions, SandboxProfile } from "../sandbox/runtime.ts";
import { readRecord } from "../sandbox/workspace/record.ts";
import { forgetChanges } from "../sandbox/workspace/changes/set-aside.ts";
import { withBrowserContext } from "./browser-image.ts";
import type { Registries } from "./registries/access.ts";
import { storedPath } from "./records/stored-path.ts";
import { profileOf } from "./setup/profile.ts";
import type { Records } from "./records/records.ts";
import { runtimeNamed } from "./setup/runtimes.ts";
import { withTemporaryWorkspace } from "./setup/temporary-workspace.ts";
import { readContext, realDirectory, type WorkspaceContext } from "./setup/context.ts";

type CredentialUse = Parameters<NonNullable<OpenOptions["onCredentialUse"]>>[0];

/** What a person asked for. Exactly one of the ways. */
export type ImageOrder = {
  readonly name: string;
  /** The image that it is made on: a prepared one's name or a digest; absent: Warder's own. */
  readonly base?: string;
  readonly way:
    | { readonly kind: "browser" }
    | { readonly kind: "directory"; readonly path: string }
    | {
        readonly kind: "command";
        readonly workspace: string;
        readonly policy: string;
        readonly command: string;
        readonly hosts: readonly string[];
        /** How this account reaches a registry; absent: the command is given hosts alone. */
        readonly registry?: Registries;
        /** `PATH:TARGET`. */
        readonly kept: readonly string[];
      };
};

/** An order that was looked through, as a person confirms it. */
export type ImagePlan = Omit<PreparedImage, "image" | "by" | "preparedAt"> & {
  readonly context: WorkspaceContext | null;
  readonly kept: readonly KeptPath[];
  readonly registry: Registries | null;
};

export type AddedImage = { readonly image: string; readonly wished: ImageReport["wished"] };

/** What a preparing command may take at least, whatever the policy says of a run's: installing is more work than using. */
const PREPARING = { commandTimeoutMs: 3_600_000, memoryBytes: 2 * 1024 ** 3, processes: 512, cpus: 2, outputBytes: 64 * 1024 };

/** Reads an order. Throws `usage` for what cannot be meant, `bad-policy` for a policy that cannot be loaded. */
export function planImage(records: Records, workshop: ImageWorkshop, { name, base, way }: ImageOrder): ImagePlan {
  const fault = imageFault(name);
  if (fault !== null || isImageDigest(name))
    throw new AgentError("usage", `${JSON.stringify(name)} is no name of an image: lower-case letters, digits and dashes.`);
  const stateDirectory = records.store.paths.directory;
  if (imagesByName(stateDirectory)(name) !== null)
    throw new AgentError("usage", `There is an image ${name} already. Remove it first: warder image remove ${name}`);
  if (isStopped(records.store, { isNetwork: true })) throw new AgentError("usage", STOPPED_ADVICE);
  const digest = baseOf(base, stateDirectory) ?? workshop.own();
  if (way.kind === "browser") {
    const known = browserImage(stateDirectory);
    if (known !== null) throw new AgentError("usage", `There is an image with a browser already. Remove it first: warder image remove ${known.name}`);
    return { name, base: digest, made: { kind: "browser" }, context: null, kept: [], registry: null };
  }
  if (way.kind === "directory") {
    const path = realDirectory(way.path);
    if (statSync(join(path, "Dockerfile"), { throwIfNoEntry: false })?.isFile() !== true)
      throw new AgentError("usage", `${path} holds no Dockerfile. It begins with: ARG WARDER_BASE, FROM \${WARDER_BASE}`);
    return { name, base: digest, made: { kind: "directory", path }, context: null, kept: [], registry: null };
  }
  const kept = way.kept.map(keptPath);
  if (kept.length === 0) throw new AgentError("usage", "Say what is to be kept: --keep PATH:TARGET, such as --keep node_modules:/node_modules");
  for (const host of way.hosts)
    if (!isHostPattern(host)) throw new AgentError("usage", `${JSON.stringify(host)} is no host: as in a policy's sandbox.network.allow.`);
  const context = readContext(way.policy, way.workspace);
  const hosts = [...new Set(way.hosts)];
  const made = { kind: "command" as const, workspace: context.workspace, command: way.command, hosts, kept: [...way.kept] };
  return { name, base: digest, made, context, kept, registry: way.registry ?? null };
}

/** `onText`: what the engine or the command prints. `onPhase`: what goes on now, in words for a person. */
export type ImageOperation = { readonly signal: AbortSignal; readonly onText: (text: string) => void; readonly onPhase: (what: string) => void };

/** Builds an image, checks that a sandbox can work in it, and records it under its name. Throws `sandbox-unavailable`, and then leaves no image. */
export async function addImage(
  records: Records,
  workshop: ImageWorkshop,
  plan: ImagePlan,
  operation: ImageOperation & { readonly by: string },
): Promise<AddedImage> {
  const runtime = await runtimeNamed("docker");
  await runtime.reap(records.store.paths.directory);
  clearKilled(records.store.paths.runs);
  const { by, onPhase } = operation;
  const image = await makeImage(records, workshop, plan, operation);
  try {
    onPhase("Looking whether a sandbox can work in it");
    const { needed, wished } = await probe(records, workshop, image);
    if (needed.length > 0) throw new AgentError("sandbox-unavailable", `No sandbox can work in this image. It lacks: ${needed.join("; ")}.`);
    await workshop.tag(image, `${plan.name}-${image.slice(7, 19)}`);
    const { name, base, made } = plan;
    register(records, { name, base, made, image, by, preparedAt: new Date(systemClock.nowMs()).toISOString() });
    return { image, wished };
  } catch (error) {
    await workshop.remove(image);
    throw error;
  }
}

/** The stop switch ends what goes on here, like a run. */
async function makeImage(records: Records, workshop: ImageWorkshop, plan: ImagePlan, operation: ImageOperation): Promise<string> {
  const watch = untilStopped(records.store, operation.signal, { isNetwork: true });
  const { signal } = watch;
  const { onText, onPhase } = operation;
  try {
    onPhase(plan.made.kind === "command" ? "Running the command in a sandbox, and keeping what it leaves" : "Building the image");
    if (plan.made.kind === "command") return await prepare(records, workshop, { plan, signal, onText });
    const build = async (directory: string): Promise<string> => await workshop.build({ context: { directory }, base: plan.base, signal, onText });
    return plan.made.kind === "browser" ? await withBrowserContext(plan.base, { signal, onText }, build) : await build(plan.made.path);
  } finally {
    watch.end();
  }
}

/** Forgets an image and removes it from the engine. Throws `usage` when there is none of that name. */
export async function removeImage(records: Records, workshop: ImageWorkshop, name: string, by: string): Promise<PreparedImage> {
  const { store, audit } = records;
  const { directory } = store.paths;
  const image = readImages(directory).find((known) => known.name === name);
  if (image === undefined) throw new AgentError("usage", `There is no image ${JSON.stringify(name)}. See: warder image list`);
  await workshop.remove(image.image);
  store.exclusively(() => {
    writeImages(
      directory,
      readImages(directory).filter((known) => known.name !== name),
    );
  });
  appendAudit(audit, { run: null, payload: { kind: "image-removed", name, image: image.image, by } });
  return image;
}

/** Recorded before it counts: what cannot be recorded is no image. */
function register({ store, audit }: Records, image: PreparedImage): void {
  const { directory } = store.paths;
  const { name, base, made, by } = image;
  appendAudit(audit, { run: null, payload: { kind: "image-added", name, image: image.image, base, made, by } });
  store.exclusively(() => {
    if (imagesByName(directory)(name) !== null) throw new AgentError("usage", `Another process added an image ${name} just now.`);
    writeImages(directory, [...readImages(directory), image]);
  });
}

async function prepare(
  records: Records,
  workshop: ImageWorkshop,
  { plan, signal, onText }: { readonly plan: ImagePlan; readonly signal: AbortSignal; readonly onText: (text: string) => void },
): Promise<string> {
  const { context, made, base, kept, registry } = plan;
  if (context === null || made.kind !== "command") throw new AgentError("broken-invariant", "An image is prepared without a workspace.");
  const profile = preparingProfile(context, { hosts: made.hosts, registry }, base);
  const onConnection =
    (runId: string) =>
    (connection: ConnectionRecord): void => {
      const request = connection.request === null ? null : { ...connection.request, path: storedPath(connection.request.path, records.audit) };
      appendAudit(records.audit, { run: runId, payload: { kind: "connection", ...connection, request } });
    };
  const onCredentialUse =
    (runId: string) =>
    (use: CredentialUse): boolean => {
      const payload = { kind: "credential-used" as const, ...use, path: storedPath(use.path, records.audit), decision: "allow" as const, reason: "credential" };
      appendAudit(records.audit, { run: runId, payload });
      return true;
    };
  const access = registry === null ? {} : { secrets: registry.secrets };
  return await inRunDirectory(
    records,
    async (options) =>
      await workshop.prepare(
        {
          profile,
          options: {
            ...options,
            ...access,
            onCredentialUse: onCredentialUse(options.runId),
            onConnection: onConnection(options.runId),
            isNetworkStopped: () => isStopped(records.store, { isNetwork: true }),
          },
        },
        { base, command: made.command, kept, signal, onText },
      ),
  );
}

/** The policy's masks over the workspace; hosts as the person named them, no variable of a run's, and of credentials a registry's alone. */
function preparingProfile(
  context: WorkspaceContext,
  { hosts, registry }: { readonly hosts: readonly string[]; readonly registry: Registries | null },
  base: string,
): SandboxProfile {
  const { policy, workspace } = context;
  const profile = profileOf(policy, { ...context, environment: {} });
  const { engineRuntime } = policy.sandbox;
  return {
    ...profile,
    image: base,
    env: {},
    ...(registry === null ? {} : { registries: registry.access }),
    roots: [{ path: workspace, access: "read-write" }],
    settings: {
      runtime: "docker",
      ...(engineRuntime === undefined ? {} : { engineRuntime }),
      workspace: "transactional",
      env: [],
      network: { allow: hosts, ...(registry === null ? {} : { registries: registry.uses }) },
      ...PREPARING,
    },
  };
}

async function probe(records: Records, workshop: ImageWorkshop, image: string): Promise<ImageReport> {
  // At a path that no image has; inside it is a scratch directory.
  return await withTemporaryWorkspace("warder-image-", async (workspace) => {
    const context = readContext("read-only", workspace);
    const profile = profileOf(context.policy, { ...context, environment: {} });
    const settings = { ...profile.settings, workspace: "none" as const };
    return await inRunDirectory(records, async (options) => await workshop.probe({ profile: { ...profile, image, settings }, options }));
  });
}

async function inRunDirectory<T>({ store }: Records, work: (options: { readonly runId: string; readonly runDirectory: string }) => Promise<T>): Promise<T> {
  const runId = newId("image");
  const runDirectory = join(store.paths.runs, runId);
  mkdirSync(runDirectory, { mode: 0o700 });
  try {
    return await work({ runId, runDirectory });
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}

/** What a killed process prepared is nobody's to review. */
function clearKilled(runs: string): void {
  for (const name of readdirSync(runs)) {
    if (!name.startsWith("image-")) continue;
    const directory = join(runs, name);
    const record = readRecord(directory);
    if (record === null || record.state === "open") continue;
    forgetChanges(directory, record);
    rmSync(directory, { recursive: true, force: true });
  }
}

function baseOf(base: string | undefined, stateDirectory: string): string | null {
  if (base === undefined) return null;
  if (isImageDigest(base)) return base;
  const digest = imagesByName(stateDirectory)(base);
  if (digest === null) throw new AgentError("usage", `There is no image ${JSON.stringify(base)} to begin with. See: warder image list`);
  return digest;
}

function keptPath(text: string): KeptPath {
  const [, path = "", target = ""] = /^([^:]+):(\/[^:]+)$/u.exec(text) ?? [];
  const isPath = path !== "" && normalize(path) === path && !path.startsWith("/") && !path.split("/").includes("..") && path !== "." && !path.endsWith("/");
  const isTarget = target !== "" && normalize(target) === target && !target.endsWith("/") && !/^\/(?:proc|sys|dev|run|tmp|\.warder)(?:\/|$)/u.test(target);
  if (isPath && isTarget && /^[\w@./+-]+$/u.test(path)) return { path, target };
  throw new AgentError(
    "usage",
    `${JSON.stringify(text)} is no --keep PATH:TARGET: PATH below the workspace (letters, digits and @ . _ + - /), TARGET absolute in the image.`,
  );
}
