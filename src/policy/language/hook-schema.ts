import { z } from "zod";
import { HOOK_POINTS } from "../hook.ts";
import { day, minutes, name, text } from "./schema-values.ts";

const MAX_SCRIPT = 32_768;

const hook = z.strictObject({
  id: name.describe("Stable name of the hook, unique over the policy and what it extends."),
  on: z.array(z.enum(HOOK_POINTS)).min(1, "must not be empty").describe("When it runs."),
  tools: z.array(text).min(1, "must not be empty").optional().describe("Tools whose calls it looks at, as in `tools`; absent: all."),
  command: z.array(text).min(1, "must not be empty").max(100, "has more than 100 words").optional().describe("A program of the sandbox, and its words."),
  script: z
    .string()
    .min(1, "must not be empty")
    .max(MAX_SCRIPT, `is longer than ${MAX_SCRIPT} characters`)
    .optional()
    .describe("The text of a script for `sh`, in place of `command`."),
  timeout: minutes.optional().describe("Absent: 10s."),
  cache: day.optional().describe("How long a success counts for the same input; absent: never again."),
  rewrite: z.boolean("must be true or false").optional().describe("Whether it may change the arguments of a call, which are judged anew."),
  because: text.describe("One sentence for who reads a refusal or reviews the policy."),
});

/** The list of hooks, as a policy and the user's settings have it. */
export const hooksSchema = z.array(hook).max(50, "has more than 50 entries");

export type HookDocument = z.output<typeof hook>;
