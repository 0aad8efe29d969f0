import type { Command } from "commander";
import { example } from "./help.ts";

const load = async () => await import("../commands/skills.ts");

/** `warder skills`: instructions in folders that a person's settings name. */
export function addSkills(program: Command, setExitCode: (code: number) => void): void {
  const skills = program
    .command("skills")
    .description("look at the skills in the directories that your settings name (`skills:`), and confirm those that runs may read")
    .addHelpText("after", example("warder skills list"));
  skills
    .command("list", { isDefault: true })
    .description("list the skills, whether runs have them, and if not, why")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder skills list"))
    .action(async (options: { readonly json?: boolean }) => setExitCode((await load()).listSkills(options)));
  skills
    .command("trust <name>")
    .description("show a skill, or what changed of it, and confirm it as it is; needs a terminal")
    .addHelpText("after", example("warder skills trust pdf-forms"))
    .action(async (name: string) => setExitCode(await (await load()).trustSkill(name)));
  skills
    .command("remove <name>")
    .description("take the confirmation of a skill back; its folder stays")
    .addHelpText("after", example("warder skills remove pdf-forms"))
    .action(async (name: string) => setExitCode((await load()).removeSkillByName(name)));
}
