/**
 * What a program can do to the world. The analysis of a command is a set of effects, each with the
 * words that cause it; risk follows from them (`policy/risk.ts`).
 */
export const EFFECT_KINDS = [
  "reads",
  "writes",
  "deletes",
  "history",
  "connects",
  "sends",
  "remembers",
  "schedules",
  "messages",
  "invokes",
  "runs-code",
  "publishes",
  "remote",
  "processes",
  "persists",
  "privilege",
  "system",
  "secrets",
  "unknown",
  "undecidable",
] as const;

export type EffectKind = (typeof EFFECT_KINDS)[number];
