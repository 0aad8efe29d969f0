import { AgentError } from "../../base/errors.ts";
import { commandEnvironment } from "../command-environment.ts";
import type { Engine } from "../docker/engine.ts";
import { packPaths } from "../docker/packed-paths.ts";
import { buildImage, removeImage } from "./build.ts";
import { closeParts, type Opened, openParts, type SessionPlan } from "../parts.ts";
import { readRecord } from "../workspace/record.ts";
import { forgetChanges } from "../workspace/changes/set-aside.ts";

/** A path of the workspace, relative and without a link on its way, and where it lies in the image. */
export type KeptPath = { readonly path: string; readonly target: string };

/** A command that prepares something, and what of it becomes a layer on `base` (a content digest). */
export type ImageLayerPlan = {
  readonly base: string;
  readonly command: string;
  readonly kept: readonly KeptPath[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
};

const SHOWN_BYTES = 64 * 1024;

/**
 * Runs a command in a sandbox of its own over a transactional workspace, and makes an image of the paths that it left there. The
 * command has what the profile gives it and nothing else; nothing of what it did lands in the workspace. Returns the content digest.
 * Throws `sandbox-unavailable` when the command fails or a path is not there; then no image is left.
 */
export async function prepareLayer(engine: Engine, session: SessionPlan, plan: ImageLayerPlan): Promise<string> {
  const parts = await openParts(session, new Map());
  try {
    await runCommand(parts, session, plan);
    // Every process ended with the command: nothing changes underneath what is looked at now.
    await requirePlain(parts, session, plan.kept);
    return await buildLayer(engine, parts, { session, plan });
  } finally {
    await closeParts(parts, session.options.runDirectory);
    const record = readRecord(session.options.runDirectory);
    if (record !== null) forgetChanges(session.options.runDirectory, record);
  }
}

async function runCommand({ lane, workspace }: Opened, { profile }: SessionPlan, { command, signal, onText }: ImageLayerPlan): Promise<void> {
  const reply = await lane.supervisor.exec(
    {
      argv: ["/bin/bash", "--norc", "--noprofile", "-c", command],
      cwd: profile.roots[0]?.path ?? "/",
      env: commandEnvironment(profile, workspace.home),
      timeoutMs: profile.settings.commandTimeoutMs,
      outputBytes: SHOWN_BYTES,
    },
    { signal, onOutput: (_stream, text) => onText(text) },
  );
  if (signal.aborted) throw new AgentError("usage", "It was interrupted, and no image was added.");
  if (reply.kind !== "ended") throw new AgentError("sandbox-unavailable", `The command could not run: ${reply.reason}`);
  if (reply.cause !== "itself" || reply.exitCode !== 0)
    throw new AgentError(
      "sandbox-unavailable",
      `The command failed (${reply.cause === "itself" ? String(reply.exitCode ?? reply.signal) : reply.cause}), and no image was added.`,
    );
}

/** What a link leads to is not what the command left, and what lies outside the workspace is not kept. */
async function requirePlain({ lane }: Opened, { profile }: SessionPlan, kept: readonly KeptPath[]): Promise<void> {
  const root = profile.roots[0]?.path ?? "/";
  for (const { path } of kept) {
    const names = path.split("/");
    const reply = await lane.supervisor.resolve(names.map((_name, index) => `${root}/${names.slice(0, index + 1).join("/")}`));
    if (reply.kind === "failed") throw new AgentError("sandbox-unavailable", `${path} could not be looked at: ${reply.reason}`);
    for (const { path: at, real, type, failure } of reply.value) {
      if (failure !== undefined) throw new AgentError("sandbox-unavailable", `${path} could not be looked at: ${failure}`);
      if (real === at && type === "missing")
        throw new AgentError("sandbox-unavailable", `The command left no ${path} in the workspace, so there is nothing to keep.`);
      if (real !== at || !(type === "directory" || (at === `${root}/${path}` && type === "file")))
        throw new AgentError("sandbox-unavailable", `${path} cannot be kept: ${at.slice(root.length + 1)} is a link or no directory.`);
    }
  }
}

async function buildLayer(
  engine: Engine,
  { workspace }: Opened,
  { session, plan }: { readonly session: SessionPlan; readonly plan: ImageLayerPlan },
): Promise<string> {
  const copies = plan.kept.map(({ target }, index) => `COPY ${JSON.stringify([`kept/${String(index)}`, target])}\n`);
  const dockerfile = `ARG WARDER_BASE\nFROM \${WARDER_BASE}\n${copies.join("")}`;
  const { profile, options } = session;
  const packed = await packPaths({ engine, profile, options }, workspace, { dockerfile, paths: plan.kept.map(({ path }) => path) });
  try {
    const image = await buildImage(engine, { context: { archive: packed.archive }, base: plan.base, signal: plan.signal, onText: () => undefined });
    const fault = await packed.fault();
    if (fault === null) return image;
    await removeImage(engine, image);
    throw new AgentError("sandbox-unavailable", `What was to be kept could not be packed: ${fault}`);
  } finally {
    await packed.close();
  }
}
