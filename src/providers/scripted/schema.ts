import { z } from "zod";

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

const callSchema = z
  .strictObject({
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).optional(),
    /** Arguments as text, for what is no JSON: how a real model errs. */
    "raw-input": z.string().optional(),
  })
  .refine((call) => call.input === undefined || call["raw-input"] === undefined, { message: "has both input and raw-input" });

const turnSchema = z
  .strictObject({
    when: z
      .strictObject({ "result-contains": texts.optional(), "result-excludes": texts.optional() })
      .refine((when) => Object.keys(when).length > 0, { message: "states no condition" })
      .optional(),
    say: z.string().min(1).optional(),
    calls: z.array(callSchema).min(1).optional(),
  })
  .refine((turn) => turn.say !== undefined || turn.calls !== undefined, { message: "needs say or calls" });

/** A script file, as a person writes it. */
export const scriptSchema = z.strictObject({
  protocol: z.enum(["anthropic", "openai"]),
  turns: z.array(turnSchema).min(1),
  /** What sub-agents say: the first whose words stand in the task. */
  agents: z.array(z.strictObject({ "task-contains": z.string().min(1), turns: z.array(turnSchema).min(1) })).optional(),
});

// What the scripted server reads of a request. Not strict: a client may send more than this server looks at.

const anthropicImage = z.object({ type: z.literal("image") });

const anthropicBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  anthropicImage,
  z.object({ type: z.literal("thinking") }),
  z.object({ type: z.literal("tool_use"), id: z.string().min(1), name: z.string().min(1), input: z.record(z.string(), z.unknown()) }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string().min(1),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [z.object({ type: z.literal("text"), text: z.string() }), anthropicImage]))]).optional(),
    is_error: z.boolean().optional(),
  }),
]);

export const anthropicRequestSchema = z.object({
  model: z.string(),
  stream: z.literal(true),
  max_tokens: z.int().min(1),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(anthropicBlock)]) })).min(1),
});

const openaiText = z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]);

const openaiCall = z.object({ id: z.string().min(1), type: z.literal("function"), function: z.object({ name: z.string().min(1), arguments: z.string() }) });

export const openaiRequestSchema = z.object({
  model: z.string(),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  messages: z
    .array(
      z.discriminatedUnion("role", [
        z.object({ role: z.enum(["system", "developer"]), content: openaiText }),
        z.object({ role: z.literal("user"), content: openaiText }),
        z.object({ role: z.literal("assistant"), content: openaiText.nullish(), tool_calls: z.array(openaiCall).optional() }),
        z.object({ role: z.literal("tool"), tool_call_id: z.string().min(1), content: openaiText }),
      ]),
    )
    .min(1),
});
