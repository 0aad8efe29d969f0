import { type Beginning, imageArguments, planInit, writeFirstPolicy } from "../../app/begin/init.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { exactWord } from "../../shell/render.ts";
import { EXIT } from "../process/exit-code.ts";
import { foundLines, landingLines } from "../view/first-policy.ts";
import { exec } from "./exec.ts";
import { add } from "./image.ts";

export type InitOptions = {
  readonly workspace: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly image?: boolean;
  readonly allow?: readonly string[];
  readonly test: boolean;
};

/** `warder init`: a first policy, from what stands in the project's folder. Exit code 0 if its tests passed in the sandbox, or there was nothing to run. */
export async function init({ workspace, output, force, image, allow = [], test }: InitOptions): Promise<number> {
  const plan = planInit({ workspace, output: output ?? null, isForced: force === true });
  print(foundLines(plan));
  const hasImage = plan.hasImage || (image === true && (await prepareImage(plan, allow)));
  const { isTransactional } = await writeFirstPolicy(plan, hasImage ? plan.project.name : null);
  print([`Wrote ${plan.file}`, ...landingLines(isTransactional)]);
  if (!hasImage) sayImage(plan, allow);
  return await prove(plan, test);
}

async function prepareImage(plan: Beginning, allow: readonly string[]): Promise<boolean> {
  const argv = imageArguments(plan, allow);
  if (argv === null) {
    print(["It needs no image of its own."]);
    return false;
  }
  print(lackText(plan));
  const [name = "", ...rest] = argv;
  const value = (option: string): readonly string[] =>
    rest.flatMap((word, index) => (rest[index - 1] === option && !rest.slice(0, index).includes("--") ? [word] : []));
  const [from] = value("--from");
  const [registry] = value("--registry");
  const words = rest.includes("--") ? rest.slice(rest.indexOf("--") + 1) : [];
  await add(name, words, {
    policy: "unattended",
    ...(from === undefined ? { workspace: plan.workspace, allow: value("--allow"), keep: value("--keep") } : { from }),
    ...(registry === undefined ? {} : { registry }),
  });
  return true;
}

function sayImage(plan: Beginning, allow: readonly string[]): void {
  const argv = imageArguments(plan, allow);
  if (argv === null) return;
  print([
    `Its ${plan.project.needsImage?.name ?? ""} dependencies are not in the sandbox: it has no network, and its own image. Prepare one, then write the policy anew:`,
    `  warder image add ${argv.map(exactWord).join(" ")}`,
    ...lackText(plan),
    "  warder init --force",
    ...registryHint(plan),
  ]);
}

/** The other way, without an image: each run installs what it needs. */
function registryHint({ project, file }: Beginning): readonly string[] {
  const registry = project.needsImage?.packages;
  return registry === undefined
    ? []
    : [`Or let each run install them from your own registry. In ${file}, below sandbox, the line network becomes:`, `  network: { registries: [${registry}] }`];
}

/** What even the prepared image has not. */
function lackText({ project }: Beginning): readonly string[] {
  const image = project.needsImage?.image;
  return image?.kind === "dockerfile" && image.lacks !== undefined ? [`note: this image will not have ${image.lacks}`] : [];
}

/** Runs the first of the tests once, as a run would, by the policy that was just written. */
async function prove({ project, file, workspace, needsTrust }: Beginning, isWanted: boolean): Promise<number> {
  const [command] = project.tests;
  const next = `Next: warder run --policy ${exactWord(file)} --workspace ${exactWord(workspace)} --model PROVIDER:NAME "TASK"`;
  if (needsTrust) {
    print([`A run could write there, so that the policy is loaded only when you confirm it: warder policy trust ${exactWord(file)}`]);
    return EXIT.done;
  }
  if (!isWanted || command === undefined) {
    print([command === undefined ? "Found no tests to prove it with." : "The tests were not run.", next]);
    return EXIT.done;
  }
  print([`Running ${command} in the sandbox …`]);
  const exitCode = await exec([command], { policy: file, workspace });
  const again = `warder exec --policy ${exactWord(file)} --workspace ${exactWord(workspace)} -- ${exactWord(command)}`;
  const failed = exitCode === EXIT.denied ? "did not run; the rule above says why" : `ended with ${exitCode} in the sandbox`;
  print(
    exitCode === EXIT.done
      ? [`Proved: ${command} passed in the sandbox, by this policy.`, next]
      : [`${command} ${failed}. The policy stays. Once more: ${again}`],
  );
  return exitCode;
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${makeVisibleLine(line)}\n`);
}
