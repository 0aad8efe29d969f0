import { readPriceFile, priceFile } from "../../config/prices.ts";
import { readScriptFile } from "../../config/script-file.ts";
import { readSettings } from "../../config/settings.ts";
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
  /** Of those whose price is known. */
  readonly prices: readonly Price[];
  /** What a model costs, `PROVIDER:NAME`; null: not known. */
  readonly priceOf: (model: string) => Price | null;
  /** Keys that no variable held, by what stands in their place. */
  readonly secrets: ReadonlyMap<string, string>;
  close(): Promise<void>;
};

/**
 * Connects to the models that `named` lists. Throws `bad-configuration` for a key that is missing or cannot be read, and for a model without a price
 * under a policy that limits cost; then nothing is left open.
 */
export async function openModels(named: string, context: WorkspaceContext): Promise<OpenModels> {
  const names = parseModelNames(named);
  const state = stateDirectory(process.env);
  const own = readPriceFile(state);
  const priced = names.map((name) => ({ name, price: priceOf(name, process.env, own) }));
  const unpriced = priced.find(({ price }) => price === null)?.name;
  if (unpriced !== undefined && limitsCost(context.policy)) throw unknownPrice(unpriced, priceFile(state));
  const writable = [...new Set([...writablePlaces(context), ...(readWorkspaces(state) ?? [])])];
  const { environment, secrets } = readKeys(
    names.map(({ provider }) => provider),
    { settings: readSettings(state).models, environment: process.env, writable },
  );
  const providers = await selectModels(names, { env: environment, readScript: readScriptFile });
  return {
    providers,
    prices: priced.flatMap(({ price }) => price ?? []),
    priceOf: (model) => priceOf(parseModelName(model), process.env, own),
    secrets,
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

/** Whether there is a limit that an unknown price would count as over. */
function limitsCost({ limits }: Policy): boolean {
  return limits.run.maxUsd !== null || limits.windows.some(({ meter }) => meter === "cost");
}
