import { z } from "zod";
import { isSystemText, MAX_COMMAND_CHARACTERS } from "./command.ts";
import { MAX_TODO_CHARACTERS, MAX_TODOS, TODO_STATUSES } from "./todo-list.ts";

// What a model may say to each built-in tool. Every object is strict, so that an invented field (`approved`,
// `network`, `sandbox`) is refused rather than ignored, and nothing here can steer security: the only limit a
// model may name is a shorter one.

/** What {@link isSystemText} takes, with a message for each thing that is wrong. */
export const systemText = (maxLength: number) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(maxLength, `must be at most ${maxLength} characters long`)
    .refine((text) => text === "" || text.length > maxLength || isSystemText(text, maxLength), { message: "must not contain a NUL character" });

export const path = systemText(4096);

export const shellSchema = z.strictObject({
  command: systemText(MAX_COMMAND_CHARACTERS).describe("The bash command to run."),
  working_dir: path.optional().describe("Directory to run it in, relative to the workspace. Default: the workspace."),
  timeout_seconds: z.int().min(1).max(600).optional().describe("Stop the command earlier than the policy's limit would."),
});

export const startJobSchema = z.strictObject({
  command: systemText(MAX_COMMAND_CHARACTERS).describe("The bash command to run in the background."),
  working_dir: path.optional().describe("Directory to run it in, relative to the workspace. Default: the workspace."),
});

const code = systemText(MAX_COMMAND_CHARACTERS);

export const replSchema = z.strictObject({
  language: z.enum(["python", "node", "sh"]).describe("What the code is written in."),
  code: code.describe("The code. Only what it prints comes back."),
  working_dir: path.optional().describe("Directory to run it in, relative to the workspace. Default: the workspace."),
  timeout_seconds: z.int().min(1).max(600).optional().describe("Stop the code earlier than the policy's limit would."),
});

export const scriptSchema = z.strictObject({
  code: code.describe("JavaScript, the body of an async function: `await tools.NAME(input)`, then `return` what you want to know, as JSON."),
  now: z.iso
    .datetime()
    .optional()
    .describe("Where the clock of the script stands, for example 2026-01-31T12:00:00Z. Default: when it began, and then when its last call ended."),
  seed: z.int().min(0).max(4_294_967_295).optional().describe("Makes Math.random give the same numbers each time. Default: another for each script."),
});

export const powershellSchema = z.strictObject({
  command: code.describe("The PowerShell code to run."),
  working_dir: path.optional().describe("Directory to run it in, relative to the workspace. Default: the workspace."),
  timeout_seconds: z.int().min(1).max(600).optional().describe("Stop it earlier than the policy's limit would."),
});

const job = systemText(64).describe("The id that start_job returned.");

export const readJobSchema = z.strictObject({
  job,
  wait_seconds: z.int().min(0).max(60).optional().describe("How long to wait for output when there is none. Default: 0."),
  from: z.int().min(0).optional().describe("First character to return, counted from 0. Default: where you last stopped."),
});

export const readArtifactSchema = z.strictObject({
  artifact: systemText(64).describe("The artifact, as the cut names it."),
  from: z.int().min(0).optional().describe("First byte to return, counted from 0. Default: 0."),
});

export const stopJobSchema = z.strictObject({ job });

export const listJobsSchema = z.strictObject({});

export const listFilesSchema = z.strictObject({
  path: path.optional().describe("Directory to list, relative to the workspace or absolute. Default: the workspace."),
  depth: z.int().min(1).max(10).optional().describe("How many levels to descend. Default: 1."),
  exclude: z.array(systemText(256)).max(50).optional().describe("Globs of names or of paths below it that are left out, for example `*.log`."),
});

export const globSearchSchema = z.strictObject({
  pattern: systemText(1024)
    .refine((text) => !text.startsWith("!"), "must not begin with !")
    .describe("Glob of the path from the workspace, for example `src/**/*.{ts,tsx}`; one without a slash is matched with the file's name at any depth."),
  path: path.optional().describe("Directory to search, relative to the workspace or absolute. Default: the workspace."),
  max_files: z.int().min(1).max(1000).optional().describe("Files to show. Default: 200."),
});

export const grepSearchSchema = z.strictObject({
  pattern: systemText(4096).describe("Regular expression (Rust syntax, linear time)."),
  path: path.optional().describe("File or directory to search, relative to the workspace or absolute. Default: the workspace."),
  glob: systemText(1024).optional().describe("Only files whose path matches, for example `**/*.ts`."),
  mode: z.enum(["content", "files", "count"]).optional().describe("Matching lines, names of matching files, or matches per file. Default: content."),
  ignore_case: z.boolean().optional().describe("Default: false."),
  context: z.int().min(0).max(10).optional().describe("Lines to show around each match in mode content. Default: 0."),
  before: z.int().min(0).max(10).optional().describe("Lines to show before each match, where it differs from context."),
  after: z.int().min(0).max(10).optional().describe("Lines to show after each match, where it differs from context."),
  max_per_file: z.int().min(1).max(30).optional().describe("Matching lines to show of one file. Default: 5."),
  max_files: z.int().min(1).max(400).optional().describe("Files to show. Default: 100."),
});

const codePattern = systemText(20_000).describe(
  "Code with variables: `foo($A, $$$REST)`. $A is one node, $$$REST any number. JavaScript, TypeScript, JSX, CSS.",
);

/** As it stands in a text: in one line. */
const codeName = systemText(200).refine((text) => !/[\r\n]/u.test(text), { message: "must be in one line" });

export const codeSchema = z.strictObject({
  operation: z
    .enum(["outline", "definitions", "references", "search"])
    .describe(
      "outline: what files define. definitions, references: where a name is defined, or used, as the syntax of the files tells. search: where code matches a pattern.",
    ),
  path: path.optional().describe("File or directory, relative to the workspace or absolute. Default: the workspace."),
  name: codeName.optional().describe("The name to look for: of a function, class, method, type, variable."),
  pattern: codePattern.optional(),
});

export const codeRewriteSchema = z.strictObject({
  paths: z.array(path).min(1).max(50).describe("The files to change, relative to the workspace or absolute: all of them, or none."),
  pattern: codePattern,
  rewrite: z
    .string()
    .max(20_000)
    .describe("Code to put in place of each match. A variable of the pattern stands for what it matched; nothing removes the match."),
});

const server = z
  .enum(["tsc", "typescript-language-server", "pyright", "gopls", "clangd", "rust-analyzer"])
  .optional()
  .describe("The language server. Default: the first of these that knows the file's language.");
const line = z.int().min(1).optional().describe("The line that the name is in, counted from 1. Default: the first that has it.");

export const languageServerSchema = z.strictObject({
  operation: z.enum(["definition", "references", "hover", "diagnostics"]).describe("What to ask. diagnostics: errors and warnings of the file."),
  path: path.describe("The file, relative to the workspace or absolute."),
  name: codeName.optional().describe("The name to ask about, as it stands in the file."),
  line,
  server,
});

export const renameSymbolSchema = z.strictObject({
  path: path.describe("A file with the name in it, relative to the workspace or absolute."),
  name: codeName.describe("The name, as it stands in the file."),
  new_name: codeName.describe("What it is to be called."),
  paths: z.array(path).min(1).max(50).describe("Every file that may change."),
  line,
  server,
});

const url = systemText(8192).describe("Absolute URL, http or https.");

export const webFetchSchema = z.strictObject({
  url,
  from: z.int().min(0).optional().describe("First character of the text to return, counted from 0. Default: 0."),
  max_characters: z.int().min(1000).max(100_000).optional().describe("Characters to return. Default: 20000."),
});

export const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/u;
export const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,2047}[\x21-\x7e])?$/u;
export const HEADER_VALUE_WORDS = "must be printable ASCII without space at its ends, at most 2049 characters";

export const httpRequestSchema = z.strictObject({
  method: z.string().regex(/^[A-Za-z]{1,20}$/u, "must be a method of HTTP, such as GET or POST"),
  url,
  headers: z
    .array(
      z.strictObject({
        name: z.string().regex(HEADER_NAME, "must be a header's name"),
        value: z.string().regex(HEADER_VALUE, HEADER_VALUE_WORDS),
      }),
    )
    .max(32)
    .optional()
    .describe("Headers to send. None that hold a secret: the policy's credentials are added on the way out."),
  body: z.string().max(32_768).optional().describe("Body to send, as text. Name its type in a content-type header."),
});

export const browserSchema = z.strictObject({
  action: z.enum(["open", "read", "click", "type", "select", "press", "back", "screenshot", "download"]).describe("What to do. read: the page again."),
  url: url.describe("open: the address to open. Other actions: the address of the page that is open, as the last result said it."),
  ref: z
    .string()
    .regex(/^(?:f\d{1,6})?e\d{1,9}$/u, "must be a ref of the last result, such as e12")
    .optional()
    .describe("click, type, select, download: the element, by its ref in the last result."),
  text: z.string().max(10_000).optional().describe("type: what stands in the field afterwards."),
  submit: z.boolean().optional().describe("type: press Enter then. Default: false."),
  values: z.array(z.string().max(1000)).min(1).max(50).optional().describe("select: values or labels of the options."),
  key: z
    .string()
    .regex(/^(?:(?:Shift|Control|Alt|Meta)\+){0,3}(?:[A-Za-z]{1,20}\d{0,2}|\d)$/u, "must be a key, such as Enter, Escape, ArrowDown or Control+A")
    .optional()
    .describe("press: the key."),
  path: path.optional().describe("download: where the file goes, relative to the workspace or absolute; nothing may be there yet."),
  from: z.int().min(0).optional().describe("First character of the page's tree to return, counted from 0. Default: 0."),
});

export const webSearchSchema = z.strictObject({
  query: systemText(400).describe("Words to search for."),
  max_results: z.int().min(1).max(20).optional().describe("Results to show. Default: 8."),
});

const jobName = z.string().min(1, "must not be empty").max(64);

export const cronAddSchema = z.strictObject({
  name: jobName.describe("Lower-case letters, digits and hyphens."),
  cron: z
    .string()
    .min(1, "must not be empty")
    .max(200)
    .describe("Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly."),
  time_zone: z.string().min(1).max(64).optional().describe("Such as Europe/Berlin. Default: this machine's."),
  task: systemText(4000).describe("The whole task of each run, which knows nothing of this one."),
});

export const cronListSchema = z.strictObject({});

export const cronRemoveSchema = z.strictObject({ name: jobName.describe("The job, as cron_list names it.") });

export const configSchema = z.strictObject({
  key: z.enum(["model", "policy", "autonomy", "workspace", "turn", "limits"]).optional().describe("What to tell. Default: all."),
});

export const skillSchema = z.strictObject({
  name: z.string().min(1, "must not be empty").max(64).describe("The skill, as it is listed."),
  file: z.string().min(1, "must not be empty").max(500).optional().describe("Another file of its folder, by its path there. Default: SKILL.md."),
});

export const sleepSchema = z.strictObject({
  seconds: z.int().min(1).max(600).describe("How long to wait. It is time of the run."),
});

export const toolSearchSchema = z.strictObject({
  query: z.string().min(1, "must not be empty").max(500).describe("Words for what the tool should do."),
});

export const askUserSchema = z.strictObject({
  question: z.string().min(1, "must not be empty").max(2000).describe("What you need to know, with all that the person needs to answer it."),
  choices: z.array(z.string().min(1).max(200)).min(2).max(4).optional().describe("Two to four answers to choose from. The person may answer otherwise."),
});

export const sendUserMessageSchema = z.strictObject({
  text: z.string().min(1, "must not be empty").max(4000).describe("What the person should know, in plain text. At most 4000 characters."),
});

export const planDoneSchema = z.strictObject({
  plan: systemText(50_000).describe("The whole plan: what you will change, run and check, in order. A person approves exactly this text."),
});

export const todoWriteSchema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: systemText(MAX_TODO_CHARACTERS).describe("What is to be done, in one line."),
        status: z.enum(TODO_STATUSES).describe("How far it is."),
      }),
    )
    .max(MAX_TODOS)
    .describe("The whole list, in order; it takes the place of the one before."),
});

const memoryCategory = z.enum(["core", "daily", "conversation"]);
const memoryScope = z.enum(["workspace", "schedule", "user"]);

export const memoryStoreSchema = z.strictObject({
  text: z.string().min(1, "must not be empty").max(4096).describe("What to keep, in words that a search will find. At most 4096 bytes."),
  category: memoryCategory.optional().describe("core: lasting facts; daily: notes of the day; conversation: what was said. Default: core."),
  scope: memoryScope.optional().describe("Whose memory: this workspace's, this schedule's, or this user's everywhere. Default: workspace."),
});

export const memoryRecallSchema = z.strictObject({
  query: z.string().max(1000).optional().describe("Words to look for. Default: the newest entries."),
  category: memoryCategory.optional().describe("Only of this category."),
  scope: memoryScope.optional().describe("Only of this memory. Default: all that this run has."),
  limit: z.int().min(1).max(20).optional().describe("Entries to show. Default: 5."),
});

export const memoryForgetSchema = z.strictObject({ id: z.string().min(1).max(64).describe("The entry, as memory_recall names it.") });
