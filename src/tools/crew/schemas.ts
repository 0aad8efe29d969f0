import { z } from "zod";
import { path, systemText } from "../contract/input-schemas.ts";

// What a model may say to the tools that give tasks to sub-agents, and take what they did.

const task = systemText(100_000);

export const agentSchema = z.strictObject({
  task: task.describe("What it is to do and what to report. It knows nothing of this conversation."),
  tools: z.array(systemText(64)).min(1).max(64).optional().describe("The only tools that it may use. Default: those that you have."),
  read_only: z.boolean().optional().describe("It looks and changes nothing. Default: false."),
});

const member = z.strictObject({
  name: systemText(32)
    .regex(/^[a-z][a-z0-9_-]*$/u, "must be lower-case letters, digits, _ and -")
    .describe("Unique in the crew."),
  ...agentSchema.shape,
  after: z
    .array(systemText(32))
    .max(15)
    .optional()
    .describe("Names of those that must end well before it begins. It reads what they said last. Default: none; it begins at once."),
  loop: z
    .strictObject({
      to: systemText(32).describe("Itself, or one that it waits for."),
      when: systemText(200)
        .min(4, "must be at least 4 characters long")
        .describe("A text: if it stands in the last that it says, both and all between them begin again."),
      times: z.int().min(1).max(10).describe("How often at most."),
    })
    .optional()
    .describe("Has a part of the crew begin again, each as a new sub-agent. The first of them reads what this one said. Default: none."),
});

export const agentCrewSchema = z.strictObject({
  agents: z.array(member).min(1).max(16).describe("The sub-agents. They share this workspace, so give each its own files to change."),
});

export const agentApartSchema = agentSchema.omit({ read_only: true });

const changed = z.array(path).min(1).max(200);

export const agentMergeSchema = z.strictObject({
  agent: systemText(64).describe("The sub-agent, as the result of agent_apart names it."),
  show: path.optional().describe("One file that it changed: gives its diff against this workspace."),
  write: changed.optional().describe("Files that it added or modified, to be taken as it left them."),
  delete: changed.optional().describe("Files that it deleted, to be deleted here."),
  remove_directories: changed.optional().describe("Directories that it deleted, to be removed here once they are empty: the innermost first."),
  links: z
    .array(z.strictObject({ path, to: systemText(4096).describe("Where it leads, as the list says.") }))
    .min(1)
    .max(200)
    .optional()
    .describe("Links that it made, to be made here where nothing stands."),
  executable: changed.optional().describe("Files that can be executed there, to be so here."),
  not_executable: changed.optional().describe("Files that cannot be executed there any more, to be so here."),
});
