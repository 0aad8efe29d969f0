import { z } from "zod";

const category = z.enum(["core", "daily", "conversation"]);
const scope = z.enum(["workspace", "schedule", "user"]);

export const memoryStoreSchema = z.strictObject({
  text: z.string().min(1, "must not be empty").max(4096).describe("What to keep, in words that a search will find. At most 4096 bytes."),
  category: category.optional().describe("core: lasting facts; daily: notes of the day; conversation: what was said. Default: core."),
  scope: scope.optional().describe("Whose memory: this workspace's, this schedule's, or this user's everywhere. Default: workspace."),
});

export const memoryRecallSchema = z.strictObject({
  query: z.string().max(1000).optional().describe("Words to look for. Default: the newest entries."),
  category: category.optional().describe("Only of this category."),
  scope: scope.optional().describe("Only of this memory. Default: all that this run has."),
  limit: z.int().min(1).max(20).optional().describe("Entries to show. Default: 5."),
});

export const memoryForgetSchema = z.strictObject({ id: z.string().min(1).max(64).describe("The entry, as memory_recall names it.") });
