import { configuredModels } from "../../app/models/configured.ts";
import { visibleJson } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { modelsText } from "../view/models.ts";

/** `warder models`: which models a run would ask, what they take and cost, and where their keys come from. */
export function models(options: { readonly json?: boolean }): number {
  const shown = configuredModels(process.env);
  process.stdout.write(options.json === true ? `${visibleJson({ models: shown })}\n` : modelsText(shown));
  return EXIT.done;
}
