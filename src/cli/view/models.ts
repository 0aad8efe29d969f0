import type { ConfiguredModel } from "../../app/models/configured.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { paint } from "./style.ts";

const NONE = `No model is configured. Name one with --model PROVIDER:NAME, in WARDER_MODEL, or as \`models: { main: … }\` in settings.yaml.
See docs/guides/models.md
`;

/** Each model in two lines that fit 80 columns but for a long name: what it is used for, then its window, price and key. */
export function modelsText(models: readonly ConfiguredModel[]): string {
  if (models.length === 0) return NONE;
  return models
    .map(
      (model) =>
        `${paint("bold", makeVisibleLine(model.model))}  ${model.use}\n  ${windowText(model)}, ${priceText(model)}\n  ${makeVisibleLine(keyText(model))}\n`,
    )
    .join("");
}

function windowText({ contextTokens }: ConfiguredModel): string {
  return contextTokens === null ? "context window not known" : `${new Intl.NumberFormat("en").format(contextTokens)} tokens of context`;
}

function priceText({ price }: ConfiguredModel): string {
  if (price === null) return "price not known";
  if (price.inputUsd === 0 && price.outputUsd === 0) return "free";
  return `${String(price.inputUsd)} in, ${String(price.cachedUsd)} cached, ${String(price.outputUsd)} out (US$ per million)`;
}

function keyText({ key, needsKey }: ConfiguredModel): string {
  if (key === null) return needsKey ? "no key: see docs/guides/models.md" : "no key needed";
  if (key.kind === "variable") return `key from the variable ${key.name}`;
  if (key.kind === "keyring") return `key from the system's keyring (service ${key.service}, account ${key.account})`;
  return key.kind === "file" ? `key from the file ${key.path}` : `key from the program ${key.argv[0]}`;
}
