import { openRecords, withRecords } from "../../app/records/records.ts";
import { confirmSkill, lookAtSkill, namedSkills, removeSkill, type SeenSkill } from "../../app/skills/trust.ts";
import { personAtTerminal } from "../../approvals/terminal/account.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../base/text.ts";
import { MAIN_FILE } from "../../config/skills/folder.ts";
import { describeChange } from "../../tools/files/diff.ts";
import { confirm } from "../input/confirmation.ts";
import { EXIT } from "../process/exit-code.ts";
import { paint } from "../view/style.ts";

/** Lines of a changed file that are shown; of `SKILL.md` all are. */
const MAX_LINES = 200;

/** `warder skills list`: what the roots of the settings hold, and whether runs have it. */
export function listSkills(options: { readonly json?: boolean }): number {
  const { found, refused } = withRecords(namedSkills);
  const skills = found.map(({ name, directory, read, problem }) => ({
    name,
    directory,
    description: read?.description ?? null,
    isOffered: problem === null,
    problem,
  }));
  if (options.json === true) {
    process.stdout.write(`${visibleJson({ skills, refused })}\n`);
    return EXIT.done;
  }
  if (skills.length + refused.length === 0) process.stdout.write("Your settings name no directory with skills. See docs/guides/skills.md.\n");
  for (const { name, directory, description, problem } of skills) {
    const state = problem === null ? paint("green", "confirmed") : paint("yellow", makeVisibleLine(problem));
    const says = description === null ? "" : `  ${makeVisibleLine(description)}\n`;
    process.stdout.write(`${paint("bold", name)}  ${state}\n${says}  ${paint("dim", makeVisibleLine(directory))}\n`);
  }
  for (const { root, problem } of refused) process.stdout.write(`${makeVisibleLine(root)}: ${makeVisibleLine(problem)}\n`);
  return EXIT.done;
}

/** `warder skills trust`: a person at a terminal looks at a skill as it is now, or at what changed of it, and confirms it. */
export async function trustSkill(name: string): Promise<number> {
  const records = openRecords();
  try {
    const seen = lookAtSkill(records, name);
    if (seen.problem === null) {
      process.stdout.write(`${seen.name} is as it was confirmed.\n`);
      return EXIT.done;
    }
    await confirm(skillText(seen), seen.name, "Nothing was confirmed.");
    confirmSkill(records, seen, personAtTerminal());
    process.stdout.write(`Confirmed ${seen.name}: runs may read it with the tool skill.\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** `warder skills remove`. */
export function removeSkillByName(name: string): number {
  withRecords((records) => {
    removeSkill(records, name, personAtTerminal());
  });
  process.stdout.write(`Runs no longer have the skill ${makeVisibleLine(name)}. Its folder is as it was.\n`);
  return EXIT.done;
}

function skillText(seen: SeenSkill): string {
  const { name, directory, read } = seen;
  const files = read.folder.files.map(({ path, bytes }) => `    ${path}  ${String(bytes)} bytes\n`).join("");
  const head = `${paint("bold", name)}  ${makeVisibleLine(read.description)}\n  folder  ${makeVisibleLine(directory)}\n  sha256  ${read.folder.digest}\n`;
  return `${head}  files\n${files}${changesText(seen)}`;
}

/** Its main file, which models are told to follow, is shown whole. */
function changesText({ read: { folder }, before, pin }: SeenSkill): string {
  const main = folder.files.find(({ path }) => path === MAIN_FILE)?.text ?? "";
  if (before === null || pin === null) return `${MAIN_FILE}, as models are given it:\n${quoted(main)}`;
  const now = new Map(folder.files.map((file) => [file.path, file]));
  const was = new Map(pin.files.map((file) => [file.path, file]));
  const paths = [...new Set([...was.keys(), ...now.keys()])].toSorted();
  const changes = paths.map((path) => {
    const [old, file] = [was.get(path), now.get(path)];
    if (file === undefined) return `  ${makeVisibleLine(path)} is gone\n`;
    if (old?.sha256 === file.sha256) return "";
    const says = `  ${path} ${old === undefined ? "is new" : "was changed"}`;
    if (file.text === null) return `${says}, and is no text\n`;
    return `${says}\n${quoted(describeChange(before[path] ?? "", file.text, path === MAIN_FILE ? Infinity : MAX_LINES))}`;
  });
  const all = changes.join("");
  return `What changed since it was confirmed:\n${all === "" ? `  its folder, which was ${makeVisibleLine(pin.directory)}\n` : all}`;
}

function quoted(text: string): string {
  const lines = makeVisible(text).split("\n");
  return lines.map((line) => `    ${line}\n`).join("");
}
