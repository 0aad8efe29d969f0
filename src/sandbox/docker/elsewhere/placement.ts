import { randomUUID } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, release } from "node:os";
import { dirname, join } from "node:path";
import type Docker from "dockerode";
import type { OpenOptions, SandboxProfile } from "../../runtime.ts";
import { sandboxFile } from "../../shipped-files.ts";
import { engineInfo } from "../reach/info.ts";
import { labelsOf } from "./labels.ts";
import { type AskedEngine, removeContainer, removeVolume, volumeMount } from "./store.ts";

/** Whether an engine has the files of this machine, and how that is known. */
export type Placement = { readonly isHere: boolean; /** A clause for a person. */ readonly because: string };

/** An engine, and what has to be asked only where it is not clear. */
type Engine = Pick<AskedEngine, "docker" | "address"> & { readonly isPodman: () => Promise<boolean>; readonly findImage: () => Promise<string> };

type Wanted = { readonly profile: SandboxProfile; readonly options: Pick<OpenOptions, "runId" | "runDirectory"> };

/** One answer for each engine and pair of file systems: what this process found once stays so. */
const known = new Map<string, Promise<Placement>>();

/**
 * Finds out whether an engine sees the workspace and the run directory as this process does. An engine on a unix socket that names this machine and its
 * kernel does. Any other is asked for a file that nobody else can have, at the path that it has here. Throws what the engine's client throws.
 */
export async function placementOf(engine: Engine, wanted: Wanted): Promise<Placement> {
  const devices = Object.values(placesOf(wanted)).map((path) => String(statSync(path).dev));
  const key = [engine.address.name, ...devices].join("\0");
  const before = known.get(key);
  if (before !== undefined) return await before;
  const found = find(engine, wanted);
  known.set(key, found);
  // Who comes next asks the engine again.
  found.catch(() => known.delete(key));
  return await found;
}

/** What an engine of this machine mounts. */
function placesOf({ profile, options }: Wanted): Readonly<Record<"run" | "workspace" | "programs", string>> {
  const workspace = profile.settings.workspace === "none" ? options.runDirectory : (profile.roots[0]?.path ?? options.runDirectory);
  return { run: options.runDirectory, workspace, programs: dirname(sandboxFile("build/warder-supervisor")) };
}

/** Whether an engine has a socket of this machine and names this machine and its kernel. Podman is a process of this machine where it has a socket here. */
export async function isOfThisMachine({ docker, address, isPodman }: Omit<Engine, "findImage">): Promise<boolean> {
  if (address.request.socketPath === undefined) return false;
  // Podman takes its time to say its name.
  if (await isPodman()) return true;
  const { Name: name, KernelVersion: kernel } = await engineInfo<{ readonly Name?: string; readonly KernelVersion?: string }>(docker);
  return name === hostname() && kernel === release();
}

type EngineUsers = { readonly SecurityOptions?: readonly string[] | null };

/** Docker Engine in a user namespace: there this user is uid 0, which no command is, and what another uid writes belongs to nobody outside. */
export function isRootless({ SecurityOptions: options }: EngineUsers): boolean {
  return options?.some((option) => /^name=rootless\b/u.test(option)) ?? false;
}

async function find(engine: Engine, wanted: Wanted): Promise<Placement> {
  if (process.getuid?.() !== 0 && !(await engine.isPodman()) && isRootless(await engineInfo<EngineUsers>(engine.docker)))
    return { isHere: false, because: "it is rootless, so that a command there would have to be root to write to them" };
  if (await isOfThisMachine(engine)) return { isHere: true, because: "it has a socket here and the name of this machine" };
  return await probe(engine, wanted);
}

/** Through volumes, which the engine mounts itself: in front of a virtual machine, something may translate the paths of bind mounts. */
async function probe({ docker, findImage }: Engine, wanted: Wanted): Promise<Placement> {
  const { runDirectory, runId } = wanted.options;
  const id = randomUUID();
  const file = join(runDirectory, `probe-${id}`);
  const places = placesOf(wanted);
  const names = Object.keys(places).map((what) => `warder-probe-${id}-${what}`);
  writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  let container: Docker.Container | null = null;
  try {
    for (const [index, device] of Object.values(places).entries())
      await docker.createVolume({
        Name: names[index] ?? "",
        Driver: "local",
        DriverOpts: { type: "none", o: "bind,ro", device },
        Labels: labelsOf(runId),
      });
    const probing = await docker.createContainer({
      Image: await findImage(),
      // It never starts.
      Entrypoint: ["/bin/true"],
      Cmd: [],
      NetworkDisabled: true,
      Labels: labelsOf(runId),
      HostConfig: {
        NetworkMode: "none",
        ReadonlyRootfs: true,
        Mounts: Object.keys(places).map((what, index) => volumeMount(names[index] ?? "", `/${what}`, true)),
      },
    });
    container = probing;
    const isSame = async (what: "workspace" | "programs"): Promise<boolean> =>
      (await changeTimeOf(probing, `/${what}/.`)) === Math.floor(statSync(places[what]).mtimeMs);
    if (!(await hasFile(probing, `/run/probe-${id}`))) return { isHere: false, because: "it does not show a file that was just made on this machine" };
    for (const what of ["workspace", "programs"] as const)
      if (!(await isSame(what))) return { isHere: false, because: `it does not have ${places[what]} as this machine has` };
    return { isHere: true, because: "it shows a file that was just made on this machine" };
  } finally {
    if (container !== null) await removeContainer(container);
    for (const name of names) await removeVolume(docker, name);
    rmSync(file, { force: true });
  }
}

/** False also where the engine has nothing at the path of a volume. */
async function hasFile(container: Docker.Container, path: string): Promise<boolean> {
  try {
    const archive = await container.getArchive({ path });
    for await (const _ of archive) break;
    return true;
  } catch (error) {
    const { statusCode, message } = error as { readonly statusCode?: number; readonly message: string };
    if (statusCode === 404 || (statusCode === 500 && /no such file or directory|not a directory/u.test(message))) return false;
    throw error;
  }
}

/** In whole milliseconds. */
async function changeTimeOf(container: Docker.Container, path: string): Promise<number> {
  const answer = (await container.infoArchive({ path })) as unknown as { readonly headers: Readonly<Record<string, string | undefined>>; resume(): void };
  answer.resume();
  const { mtime } = JSON.parse(Buffer.from(answer.headers["x-docker-container-path-stat"] ?? "", "base64").toString()) as { readonly mtime: string };
  return Date.parse(mtime);
}
