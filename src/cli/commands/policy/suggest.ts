import { suggestRules } from "../../../app/policy/suggest/suggest.ts";
import { openRecords } from "../../../app/records/records.ts";
import { systemClock } from "../../../base/clock.ts";
import { visibleJson } from "../../../base/text.ts";
import { readSelection } from "../../input/record-filter.ts";
import { EXIT } from "../../process/exit-code.ts";
import { suggestionsText } from "../../view/policy/suggestions.ts";

export type SuggestOptions = { since: string; until?: string; run?: string; workspace: string; patch?: boolean; json?: boolean };

/** `warder policy suggest FILE`: rules that would have answered what people answered with yes, as a patch. Exit 0, also when there are none. */
export async function suggestForPolicy(file: string, options: SuggestOptions): Promise<number> {
  const { since, until, run } = options;
  const span = readSelection({ since, ...(until !== undefined && { until }), ...(run !== undefined && { run }) }, systemClock.nowMs());
  const records = openRecords();
  try {
    const found = await suggestRules(records.audit, file, span, options.workspace);
    if (options.json === true) process.stdout.write(`${visibleJson(found)}\n`);
    else process.stdout.write(options.patch === true ? (found.patch ?? "") : suggestionsText(found));
    return EXIT.done;
  } finally {
    records.store.close();
  }
}
