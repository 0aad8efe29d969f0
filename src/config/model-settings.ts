import { z } from "zod";
import type { SecretSource } from "../policy/network.ts";
import { PROVIDER_NAMES, type ProviderName } from "../providers/contract/model-name.ts";

/** An entry of the system's keyring. */
export type KeyringEntry = { readonly kind: "keyring"; readonly service: string; readonly account: string };

/** Where a key comes from: a secret's place, the system's keyring, or a program that prints it, started without a shell. */
export type KeySource = SecretSource | KeyringEntry | { readonly kind: "command"; readonly argv: readonly [string, ...string[]] };

/** Which models a run asks, where nobody names another, and where their keys are. */
export type ModelSettings = {
  /** The first, and those that answer when it cannot; empty: none is named. */
  readonly main: readonly string[];
  /** For summaries and sub-agents; null: the first of the main ones. */
  readonly small: string | null;
  readonly keys: ReadonlyMap<ProviderName, KeySource>;
};

const problem = (message: string) => ({ error: message });

const model = z.string().refine(
  // A comma would begin another one.
  (text) => !text.includes(",") && PROVIDER_NAMES.some((provider) => text.startsWith(`${provider}:`) && text.length > provider.length + 1),
  problem("A model is PROVIDER:NAME, as for `warder run --model`."),
);

const AS_A_LIST = problem("One model, or a list of up to 8: the first, and those that answer when it cannot.");

/** A name in a keyring, which is also shown. */
const entryName = z.string().regex(/^[\x20-\x7e]{1,200}$/u);

const keySource = z.union(
  [
    z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u) }).transform(({ env }): KeySource => ({ kind: "variable", name: env })),
    z.strictObject({ file: z.string().startsWith("/") }).transform(({ file }): KeySource => ({ kind: "file", path: file })),
    z
      .strictObject({ command: z.tuple([z.string().startsWith("/")], z.string()).refine((argv) => argv.length <= 32) })
      .transform(({ command }): KeySource => ({ kind: "command", argv: command })),
    z.strictObject({ keyring: entryName, account: entryName }).transform(({ keyring, account }): KeySource => ({ kind: "keyring", service: keyring, account })),
  ],
  problem("A key comes from `{ env: NAME }`, `{ file: /ABSOLUTE/PATH }`, `{ keyring: SERVICE, account: NAME }` or `{ command: [/ABSOLUTE/PROGRAM, WORDS…] }`."),
);

/** The keys `models` and `keys` of the settings. */
export const modelSettingsSchema = {
  models: z
    .strictObject({
      main: z.union([model, z.array(model).min(1, AS_A_LIST).max(8, AS_A_LIST)], AS_A_LIST).optional(),
      small: model.optional(),
    })
    .default({}),
  keys: z.partialRecord(z.enum(PROVIDER_NAMES.filter((name) => name !== "scripted")), keySource).default({}),
};

type Read = z.output<z.ZodObject<typeof modelSettingsSchema>>;

export function modelSettingsOf({ models, keys }: Read): ModelSettings {
  const { main = [], small = null } = models;
  return {
    main: typeof main === "string" ? [main] : main,
    small,
    keys: new Map(Object.entries(keys).map(([name, source]) => [name as ProviderName, source])),
  };
}
