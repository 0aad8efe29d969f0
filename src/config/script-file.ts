import { resolve } from "node:path";
import { AgentError } from "../base/errors.ts";
import { renderDiagnostics } from "../policy/text/diagnostic.ts";
import { readYaml } from "../policy/text/yaml.ts";
import { modelsIn } from "../providers/contract/model-name.ts";
import { readRegular } from "../store/files/regular-file.ts";

/** The names of models with the whole paths of scripts: a run goes on from another directory, too. What names no model stays as it is. */
export function withScriptFrom(directory: string, models: string): string {
  return modelsIn(models)
    .map((model) => model.replace(/^scripted:(.+)$/su, (_all, name: string) => `scripted:${resolve(directory, name)}`))
    .join(",");
}

/**
 * Reads the YAML file of a scripted model as plain data. Throws `bad-configuration` with line and column when it
 * cannot be read.
 */
export async function readScriptFile(file: string): Promise<{ readonly value: unknown; readonly lineOf: (path: readonly PropertyKey[]) => number }> {
  const path = resolve(file);
  let source: string;
  try {
    source = readRegular(path, "bad-configuration").toString("utf8");
  } catch (error) {
    throw new AgentError(
      "bad-configuration",
      `The script ${file} cannot be read: ${error instanceof Error ? error.message.replace(/\.$/u, "") : "unknown fault"}.`,
      { cause: error, remedy: "Write one as docs/guides/scripted-models.md shows, or name a model: --model PROVIDER:NAME" },
    );
  }
  const reading = readYaml(path, source);
  if ("diagnostics" in reading) throw new AgentError("bad-configuration", renderDiagnostics(reading.diagnostics, new Map([[path, source]])));
  const { text } = reading;
  return { value: text.value, lineOf: (place) => text.at(place).line };
}
