import { startAnswerServer, type AnswerServer } from "../../approvals/http-answers/server.ts";
import { systemClock } from "../../base/clock.ts";
import type { ListenAddress } from "../../config/settings.ts";
import { giveAnswerWithToken } from "./answers.ts";
import type { Records } from "../records/records.ts";

/** Takes answers over HTTP until it is closed. `url`: the address that receivers of webhooks reach it by. */
export async function serveAnswers(records: Records, { listen, url }: { readonly listen: ListenAddress; readonly url: URL }): Promise<AnswerServer> {
  return await startAnswerServer({ listen, hosts: [url.host], clock: systemClock, take: (answer) => giveAnswerWithToken(records, answer) });
}
