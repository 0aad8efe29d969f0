import { copyFileSync, existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { imagesByName } from "../../config/state/images.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import { examineSandbox } from "../doctor/sandbox.ts";
import { withRecords } from "../records/records.ts";
import { readContext } from "../setup/context.ts";
import { firstPolicyText } from "./first-policy.ts";
import { type Project, readProject } from "./project.ts";

export type InitOrder = {
  readonly workspace: string;
  /** Where the policy goes; null: below Warder's state, where no run can write. */
  readonly output: string | null;
  readonly isForced: boolean;
};

export type Beginning = {
  readonly project: Project;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Where the policy goes. */
  readonly file: string;
  /** It lies where a run may write: it is loaded only after a person confirmed it. */
  readonly needsTrust: boolean;
  /** Whether the image of the project's name is prepared already. */
  readonly hasImage: boolean;
};

/** Looks at a project. Throws `usage` for a home, and for a policy that is there and is not to be written anew. */
export function planInit({ workspace, output, isForced }: InitOrder): Beginning {
  const context = readContext("supervised", workspace);
  const project = readProject(context.workspace);
  const state = withRecords(({ store }) => store.paths.directory);
  const file = output === null ? join(state, "policies", `${project.name}.yaml`) : resolve(output);
  if (!/\.ya?ml$/u.test(file)) throw new AgentError("usage", `${file} is no name of a policy.`, { remedy: "Let it end in .yaml: --output FILE.yaml" });
  if (existsSync(file) && !isForced)
    throw new AgentError("usage", `The policy ${file} is there already, and was not changed.`, {
      remedy: "Read it, or have it written anew, with --force",
    });
  return { project, workspace: context.workspace, file, needsTrust: isWithin(file, context.workspace), hasImage: imagesByName(state)(project.name) !== null };
}

/** Writes the policy. `isTransactional` is found out by opening a sandbox. Throws `usage` where the file cannot be written. */
export async function writeFirstPolicy(
  { project, file, needsTrust, workspace }: Beginning,
  image: string | null,
): Promise<{ readonly isTransactional: boolean }> {
  const isTransactional = (await examineSandbox("unattended")).failure === null;
  writeBeginning(file, firstPolicyText({ project, isTransactional, image }));
  // What was written loads, or this says why.
  if (!needsTrust) readContext(file, workspace);
  return { isTransactional };
}

/** Writes one of the first files of a project. Throws `usage` where it cannot be written. */
export function writeBeginning(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Written beside and renamed, so that no link that lies there is followed.
    const beside = `${file}.${String(process.pid)}`;
    writeFileSync(beside, text, { flag: "wx" });
    renameSync(beside, file);
  } catch (error) {
    throw new AgentError("usage", `${file} cannot be written: ${String((error as NodeJS.ErrnoException).code)}.`, {
      cause: error,
      remedy: "Name another place: --output FILE.yaml",
    });
  }
}

/** The arguments behind `warder image add` that prepare a project's dependencies. A Dockerfile is written beside the policy. */
export function imageArguments({ project, workspace, file }: Beginning, allowed: readonly string[]): readonly string[] | null {
  const need = project.needsImage?.image;
  if (need === undefined || need.kind === "nothing") return null;
  if (need.kind === "install") {
    const hosts = allowed.length > 0 ? allowed.flatMap((host) => ["--allow", host]) : ["--registry", need.registry];
    return [
      project.name,
      "--workspace",
      workspace,
      ...hosts,
      ...need.keep.flatMap((kept) => ["--keep", kept]),
      "--",
      project.lockFiles.length === 0 ? need.withoutLock : need.command,
    ];
  }
  const folder = `${file.replace(/\.ya?ml$/u, "")}.image`;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  // A link could bring a secret of this machine into an image that a run reads.
  const files = need.files.filter((name) => lstatSync(join(workspace, name), { throwIfNoEntry: false })?.isFile() === true);
  for (const name of files) copyFileSync(join(workspace, name), join(folder, name));
  const copy = files.length === 0 ? [] : [`COPY ${files.join(" ")} ./`];
  writeFileSync(join(folder, "Dockerfile"), ["ARG WARDER_BASE", "FROM ${WARDER_BASE}", "WORKDIR /opt/project", ...copy, ...need.lines, ""].join("\n"));
  return [project.name, "--from", folder];
}
