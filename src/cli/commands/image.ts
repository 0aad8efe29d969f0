import { type AddedImage, addImage, type ImageOrder, type ImagePlan, planImage, removeImage } from "../../app/images.ts";
import { openRecords, type Records } from "../../app/records/records.ts";
import { registriesOf } from "../../app/registries/access.ts";
import { ownAccount, personAtTerminal } from "../../approvals/terminal/account.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../base/text.ts";
import { type PreparedImage, readImages } from "../../config/state/images.ts";
import { commandText } from "../../shell/render.ts";
import { enginePlaceIn, type ImageWorkshop, imageWorkshop } from "../../sandbox/image/workshop.ts";
import { confirm } from "../input/confirmation.ts";
import { EXIT } from "../process/exit-code.ts";
import { withInterrupt } from "../process/interrupt.ts";
import { createProgress } from "../view/live/progress.ts";
import { paint } from "../view/style.ts";

export type AddOptions = {
  readonly from?: string;
  readonly browser?: boolean;
  readonly workspace?: string;
  readonly policy: string;
  readonly allow?: readonly string[];
  /** Whose configuration of registries the command is given: `npm`. */
  readonly registry?: string;
  readonly keep?: readonly string[];
  readonly base?: string;
};

/** `warder image add`: a person at a terminal confirms what is going to be built or run. */
export async function add(name: string, words: readonly string[], options: AddOptions): Promise<number> {
  return await withWorkshop(async (records, workshop) => {
    const plan = planImage(records, workshop, await orderOf(name, words, options));
    await confirm(`This image will be prepared for sandboxes:\n${planText(plan)}${registryText(plan)}`, plan.name, "No image was added.");
    const progress = createProgress(process.stdout);
    return await withInterrupt(async (signal) => {
      const added = await addImage(records, workshop, plan, { by: personAtTerminal(), signal, onText: progress.text, onPhase: progress.phase }).finally(
        progress.end,
      );
      process.stdout.write(addedText(plan, added));
      return EXIT.done;
    });
  });
}

/** `warder image list`: what was prepared here, and whether the engine still has it. */
export async function list(options: { readonly json?: boolean }): Promise<number> {
  return await withWorkshop(async ({ store }, workshop) => {
    const images: (PreparedImage & { readonly isThere: boolean })[] = [];
    for (const image of readImages(store.paths.directory)) images.push({ ...image, isThere: await workshop.isThere(image.image) });
    if (options.json === true) process.stdout.write(`${visibleJson({ images })}\n`);
    else if (images.length === 0) process.stdout.write("No images. Prepare one: warder image add NAME --from DIRECTORY\n");
    else for (const image of images) process.stdout.write(imageLines(image));
    return EXIT.done;
  });
}

/** `warder image remove`: nobody needs to be asked for less; a policy that names it runs nothing until it is there again. */
export async function remove(name: string): Promise<number> {
  return await withWorkshop(async (records, workshop) => {
    const { image } = await removeImage(records, workshop, name, ownAccount());
    process.stdout.write(`Removed ${name} (${image}).\n`);
    return EXIT.done;
  });
}

async function withWorkshop(work: (records: Records, workshop: ImageWorkshop) => Promise<number>): Promise<number> {
  const records = openRecords();
  try {
    return await work(records, imageWorkshop({ ...enginePlaceIn(process.env), stateDirectory: records.store.paths.directory }));
  } finally {
    records.store.close();
  }
}

async function orderOf(name: string, words: readonly string[], options: AddOptions): Promise<ImageOrder> {
  const { from, browser = false, workspace, policy, allow = [], registry, keep = [], base } = options;
  const command = commandText(words);
  const ways = "Say one of --from DIRECTORY, which holds a Dockerfile, --workspace DIRECTORY --keep PATH:TARGET -- COMMAND, or --browser.";
  const isCommand = workspace !== undefined || command !== "" || allow.length > 0 || registry !== undefined || keep.length > 0;
  const more = base === undefined ? {} : { base };
  if (browser) {
    if (isCommand || from !== undefined) throw new AgentError("usage", ways);
    return { name, ...more, way: { kind: "browser" } };
  }
  if (from !== undefined) {
    if (isCommand) throw new AgentError("usage", ways);
    return { name, ...more, way: { kind: "directory", path: from } };
  }
  if (workspace === undefined || command === "") throw new AgentError("usage", ways);
  if (registry !== undefined && registry !== "npm")
    throw new AgentError("usage", `--registry ${makeVisibleLine(registry)} is not known.`, { remedy: "Say --registry npm, or name hosts: --allow HOST" });
  const access = registry === undefined ? {} : { registry: await registriesOf({ allow: [], registries: [{ name: "npm", credentials: true }] }) };
  return { name, ...more, way: { kind: "command", workspace, policy, command, hosts: allow, kept: keep, ...access } };
}

function planText({ name, base, made }: Pick<PreparedImage, "name" | "base" | "made">): string {
  const lines: [string, string][] = [
    ["name", name],
    ["on", base],
  ];
  if (made.kind === "browser") lines.push(["with", "Debian's Chromium, for the tool browser alone: no command runs in it"]);
  else if (made.kind === "directory") lines.push(["Dockerfile", `${made.path}/Dockerfile, built by the engine with the network it gives`]);
  else
    lines.push(
      ["command", made.command],
      ["in", `${made.workspace}, in a sandbox; nothing lands there`],
      ["hosts", made.hosts.length === 0 ? "none" : made.hosts.join(", ")],
      ["keeps", made.kept.map((kept) => kept.replace(":", " as ")).join(", ")],
    );
  return lines.map(([label, text]) => `  ${label.padEnd(11)}${makeVisibleLine(text)}\n`).join("");
}

function registryText({ registry }: ImagePlan): string {
  if (registry === null) return "";
  const { origins } = registry.access;
  const places = origins.map(({ host, port }) => `${host}:${String(port)}`).join(", ");
  const signed = origins.filter(({ credential }) => credential !== null).map(({ host }) => host);
  const told = signed.length === 0 ? "no token of it is used" : `its token goes with requests to ${signed.join(", ")}, and nothing inside sees it`;
  return `  ${"registry".padEnd(11)}${makeVisibleLine(`as npm is configured for you, ${places}: only reading; ${told}`)}\n`;
}

function addedText({ name, made }: ImagePlan, { image, wished }: AddedImage): string {
  if (made.kind === "browser") return `Added ${name} (${image}).\nRuns whose policy has hosts are offered the tool browser from now on.\n`;
  const missing = wished.map((what) => `Without: ${what}.\n`).join("");
  return `Added ${name} (${image}).\n${missing}A policy uses it: sandbox: { image: ${name} }\n`;
}

function imageLines(image: PreparedImage & { readonly isThere: boolean }): string {
  const there = image.isThere ? "" : `  ${paint("red", "gone from the engine")}`;
  return `${paint("bold", image.name)}  ${image.image}${there}\n${planText(image)
    .split("\n")
    .slice(1)
    .join("\n")}  ${"prepared".padEnd(11)}${image.preparedAt} by ${makeVisibleLine(image.by)}\n`;
}
