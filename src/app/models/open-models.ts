import { AgentError } from "../../base/errors.ts";
import { readPriceFile, priceFile } from "../../config/prices.ts";
import { readScriptFile } from "../../config/script-file.ts";
import { readSettings } from "../../config/settings-file.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { readWorkspaces } from "../../config/state/workspaces.ts";
import type { Policy } from "../../policy/policy.ts";
import { parseModelName, parseModelNames } from "../../providers/contract/model-name.ts";
import type { ModelProvider } from "../../providers/contract/provider.ts";
import { priceOf, unknownPrice } from "../../providers/prices/lookup.ts";
import type { Price } from "../../providers/prices/price.ts";
import { selectModels } from "../../providers/select-model.ts";
import { writablePlaces, type WorkspaceContext } from "../setup/context.ts";
import { readKeys } from "./keys.ts";

/** The models of a run, connected. */
export type OpenModels = {
  /** The first, and those that answer when it cannot. */
  readonly providers: readonly [ModelProvider, ...ModelProvider[]];
  /** For summaries; null: the others write them. */
  readonly small: ModelProvider | null;
  /** The smallest context window among those of the conversation; null: none is known. */
  readonly contextTokens: number | null;
  /** Of those whose price is known. */
  readonly prices: readonly Price[];
  /** What a model costs, `PROVIDER:NAME`; null: not known. */
  readonly priceOf: (model: string) => Price | null;
  /** Keys that no variable held, by what stands in their place. */
  readonly secrets: ReadonlyMap<string, string>;
  close(): Promise<void>;
};

/** A provider of an embedding program, which also closes it, and what its tokens cost; null: not known. */
export type OwnModel = { readonly provider: ModelProvider; readonly price: Price | null };

/**
 * Connects to the models that `named` lists, or takes the one that is there. Throws `bad-configuration` for a key that is missing or cannot be read, and for a
 * model without a price under a policy that limits cost; then nothing is left open.
 */
export async function openModels(named: string | OwnModel, context: WorkspaceContext): Promise<OpenModels> {
  if (typeof named !== "string") return ownModel(named, context);
  const names = parseModelNames(named);
  const state = stateDirectory(process.env);
  const own = readPriceFile(state);
  const settings = readSettings(state).models;
  const small = settings.small === null ? [] : [parseModelName(settings.small)];
  const priced = [...names, ...small].map((name) => ({ name, price: priceOf(name, process.env, own) }));
  const unpriced = priced.find(({ price }) => price === null)?.name;
  if (unpriced !== undefined && limitsCost(context.policy)) throw unknownPrice(unpriced, priceFile(state));
  const writable = [...new Set([...writablePlaces(context), ...(readWorkspaces(state) ?? [])])];
  const { environment, secrets } = readKeys(
    [...names, ...small].map(({ provider }) => provider),
    { settings, environment: process.env, writable },
  );
  const open = await selectModels([...names, ...small], { env: environment, readScript: readScriptFile });
  const [first, ...others] = open;
  const windows = priced.slice(0, names.length).flatMap(({ price }) => price?.contextTokens ?? []);
  return {
    providers: [first, ...others.slice(0, names.length - 1)],
    small: small.length === 0 ? null : (open.at(-1) ?? null),
    contextTokens: windows.length === 0 ? null : Math.min(...windows),
    prices: priced.flatMap(({ price }) => price ?? []),
    priceOf: (model) => priceOf(parseModelName(model), process.env, own),
    secrets,
    close: async () => {
      await Promise.all(open.map((provider) => provider.close()));
    },
  };
}

function ownModel({ provider, price }: OwnModel, { policy }: WorkspaceContext): OpenModels {
  if (price === null && limitsCost(policy))
    throw new AgentError("bad-configuration", `The policy limits cost, and the price of ${provider.id} is not known, which counts as too much.`, {
      remedy: "Give its price, in US dollars for a million tokens, with the provider.",
    });
  return {
    providers: [provider],
    small: null,
    contextTokens: price?.contextTokens ?? null,
    prices: price === null ? [] : [price],
    priceOf: (model) => (model === provider.id ? price : null),
    secrets: new Map(),
    close: () => Promise.resolve(),
  };
}

/** Whether there is a limit that an unknown price would count as over. */
function limitsCost({ limits }: Policy): boolean {
  return limits.run.maxUsd !== null || limits.windows.some(({ meter }) => meter === "cost");
}
