import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { skillSchema } from "../contract/input-schemas.ts";
import { otherNames } from "../contract/other-names.ts";
import { trustedError, untrustedText } from "../contract/result.ts";
import type { Skill } from "../contract/run-handles.ts";
import type { Tool } from "../contract/tool.ts";

export const SKILL = "skill";

/** Of one in the list that a model reads in each turn. */
const MAX_DESCRIPTION = 300;

/** Reads instructions that a person installed. `skills`: those of the run, which the model is told of by name and description. */
export function skillTool(skills: readonly Skill[]): Tool<typeof skillSchema> {
  const list = skills.map(
    ({ name, description }) => `- ${name}: ${description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : description}`,
  );
  return defineTool({
    name: SKILL,
    aliases: TOOL_NAMES.skill,
    description: [
      "Reads a skill: instructions for a kind of task, which a person installed. Call it before you begin a task that one is for. A script of a skill is text, too: to run it, write it to the workspace and use shell.",
      ...(list.length === 0 ? [] : ["Skills:", ...list]),
    ].join("\n"),
    schema: skillSchema,
    needs: [{ kind: "skill" }],
    traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", history: { summaryArgument: "name" } },
    prepare: otherNames({ skill: "name", skill_name: "name", path: "file", file_path: "file" }),
    async execute({ name, file }, { handles }) {
      const found = await handles.skills.read(name, file === undefined ? null : file.replace(/^\.\//u, ""));
      if ("problem" in found) return trustedError(found.problem);
      if (!found.isShown) return untrustedText(found.text);
      const further = found.further === "" ? "" : `[Further files of this skill, by \`file\`: ${found.further}]\n`;
      return { content: [{ kind: "text", text: `[The skill ${name}]\n${further}${found.text}` }], isError: false, label: "trusted" };
    },
  });
}
