import { attachContainer } from "./reach/attach.ts";
import { engineError, ownImage } from "./engine.ts";
import { createOptionsOf, type DockerLanePlan, machineOf, removeByForce } from "./lane.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";
import { workspacePaths } from "../workspace/record.ts";

export type Packed = {
  /** A tar archive: a Dockerfile, and `kept/0`, `kept/1` and so on. */
  readonly archive: NodeJS.ReadableStream;
  /** Why the archive is not whole, once it has ended; null when it is. */
  fault(): Promise<string | null>;
  close(): Promise<void>;
};

// GNU tar: names change, targets of symbolic links do not; nothing keeps its owner, a setuid bit, or is unreadable to the sandbox's user.
const SCRIPT = `printf %s "$1" >/tmp/Dockerfile && shift && exec tar --create --owner=0 --group=0 --numeric-owner --mode=a+rX,a-s --sort=name "$@"`;

/**
 * Packs paths of a workspace as a sandbox of the session sees it: in a container like the session's, of Warder's own image, by the sandbox's user.
 * What the policy forbids is not in it, and no link leads out of it. Throws `sandbox-unavailable`; then no container is left.
 */
export async function packPaths(
  plan: DockerLanePlan,
  workspace: PreparedWorkspace,
  { dockerfile, paths }: { readonly dockerfile: string; readonly paths: readonly string[] },
): Promise<Packed> {
  const { engine, profile, options: session } = plan;
  const names = paths.map((path, index) => `--transform=flags=rhS;s,^${sedQuoted(path)}\\(/\\|$\\),kept/${String(index)}\\1,`);
  const root = profile.roots[0]?.path ?? "/";
  // An overlay of the engine's does not have them at all.
  const { maskFile, maskDirectory } = workspacePaths(session.runDirectory);
  const masked = workspace.mounts.filter((mount) => mount.kind === "bind" && [maskFile, maskDirectory].includes(mount.source));
  const left = masked.map(({ target }) => `--exclude=${target.slice(root.length + 1)}`);
  const argv = [...names, "--anchored", "--no-wildcards", ...left, "-C", "/tmp", "./Dockerfile", "-C", root, "--", ...paths];
  const options = createOptionsOf(plan, workspace, { ...(await machineOf(plan, { egressDirectory: null })), imageId: ownImage(engine) });
  const container = await asked(() =>
    engine.docker.createContainer({
      ...options,
      User: `${String(workspace.user.uid)}:${String(workspace.user.gid)}`,
      Entrypoint: ["/bin/sh", "-c", SCRIPT, "pack", dockerfile, ...argv],
      Cmd: [],
      Env: ["PATH=/usr/bin:/bin", "LC_ALL=C"],
      // Its exit code is read when it has ended.
      HostConfig: { ...options.HostConfig, AutoRemove: false, CapAdd: [] },
    }),
  );
  try {
    const streams = await attachContainer(engine.address, container.id, engine.limit);
    await asked(() => container.start());
    return {
      archive: streams.stdout,
      fault: async () => {
        const { StatusCode: code } = (await asked(() => container.wait())) as { readonly StatusCode: number };
        return code === 0 ? null : streams.complaint() || `tar ended with ${String(code)}`;
      },
      close: async () => {
        streams.destroy();
        await asked(() => removeByForce(container));
      },
    };
  } catch (error) {
    await asked(() => removeByForce(container));
    throw error;
  }
}

const sedQuoted = (path: string): string => path.replaceAll(/[\\.*[\]^$,&]/gu, String.raw`\$&`);

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw engineError(error);
  }
}
