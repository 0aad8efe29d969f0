import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../base/errors.ts";
import { renderDiagnostics } from "../policy/text/diagnostic.ts";
import { readYaml } from "../policy/text/yaml.ts";
import type { Price } from "../providers/prices/price.ts";
import { openRegular } from "../store/files/regular-file.ts";
import { readPrices } from "./price-schema.ts";

/** Where a person keeps their own prices: beside the state, which no run can write. */
export function priceFile(stateDirectory: string): string {
  return join(stateDirectory, "prices.yaml");
}

/** A person's own prices by `PROVIDER:NAME`; none when there is no file. Throws `bad-configuration` with the line for what cannot be read: no price is guessed. */
export function readPriceFile(stateDirectory: string): Readonly<Record<string, Price>> {
  const path = priceFile(stateDirectory);
  const source = textOf(path);
  if (source === null) return {};
  const reading = readYaml(path, source);
  if ("diagnostics" in reading) throw new AgentError("bad-configuration", renderDiagnostics(reading.diagnostics, new Map([[path, source]])));
  const read = readPrices(reading.text.value);
  if ("prices" in read) return read.prices;
  const { line } = reading.text.at(read.path);
  throw new AgentError("bad-configuration", `${path}:${line}: ${read.path.map(String).join(".")} ${read.problem}.`);
}

function textOf(path: string): string | null {
  try {
    const file = openRegular(path, "read", "bad-configuration");
    try {
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AgentError("bad-configuration", `The prices in ${path} cannot be read: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
    });
  }
}
