import { spawn } from "node:child_process";
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import type { Engine } from "../docker/engine.ts";
import { commandEnvironment } from "../command-environment.ts";
import { buildImage } from "./build.ts";
import { closeParts, type Opened, openParts, type SessionPlan } from "../session.ts";
import { readRecord } from "../workspace/record.ts";
import { forgetChanges } from "../workspace/review/review.ts";

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
    const merged = parts.workspace.mounts.find((mount) => mount.kind === "bind" && mount.target === session.profile.roots[0]?.path);
    if (parts.workspace.mount === "overlay-by-engine")
      throw new AgentError("sandbox-unavailable", "An image with what a command leaves in a workspace can only be made by root, which sees what it left.");
    if (merged?.kind !== "bind") throw new AgentError("broken-invariant", "The workspace is not mounted.");
    // Every process ended with the command: nothing changes underneath what is looked at now.
    for (const { path } of plan.kept) requirePlain(merged.source, path);
    return await buildLayer(engine, merged.source, { session, plan });
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

/** A link on the way would lead out of the workspace, on the host and as root. */
function requirePlain(root: string, path: string): void {
  let at = root;
  for (const name of path.split("/")) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) throw new AgentError("sandbox-unavailable", `The command left no ${path} in the workspace, so there is nothing to keep.`);
    if (stats.isSymbolicLink() || !(stats.isDirectory() || (at === join(root, path) && stats.isFile())))
      throw new AgentError("sandbox-unavailable", `${path} cannot be kept: ${at.slice(root.length + 1)} is a link or no directory.`);
  }
}

async function buildLayer(engine: Engine, root: string, { session, plan }: { readonly session: SessionPlan; readonly plan: ImageLayerPlan }): Promise<string> {
  const scratch = mkdtempSync(join(session.options.runDirectory, "image-"));
  try {
    const copies = plan.kept.map(({ target }, index) => `COPY ${JSON.stringify([`kept/${String(index)}`, target])}\n`);
    writeFileSync(join(scratch, "Dockerfile"), `ARG WARDER_BASE\nFROM \${WARDER_BASE}\n${copies.join("")}`);
    // GNU tar: names change, targets of symbolic links do not; nothing keeps its owner, a setuid bit, or is unreadable to the sandbox's user.
    const names = plan.kept.map(({ path }, index) => `--transform=flags=rhS;s,^${sedQuoted(path)}\\(/\\|$\\),kept/${String(index)}\\1,`);
    const options = ["--create", "--owner=0", "--group=0", "--numeric-owner", "--mode=a+rX,a-s", "--sort=name", "--one-file-system", ...names];
    const tar = spawn("tar", [...options, "-C", scratch, "./Dockerfile", "-C", root, "--", ...plan.kept.map(({ path }) => path)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    });
    let complaint = "";
    tar.stderr.on("data", (data: Buffer) => (complaint = (complaint + data.toString()).slice(-2000)));
    const packed = new Promise<number | null>((resolve, reject) => {
      tar.once("error", reject);
      tar.once("close", resolve);
    });
    const [image, code] = await Promise.all([
      buildImage(engine, { context: { archive: tar.stdout }, base: plan.base, signal: plan.signal, onText: () => undefined }),
      packed,
    ]);
    if (code !== 0) throw new AgentError("sandbox-unavailable", `What was to be kept could not be packed: ${complaint.trim()}`);
    return image;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const sedQuoted = (path: string): string => path.replaceAll(/[\\.*[\]^$,&]/gu, String.raw`\$&`);
