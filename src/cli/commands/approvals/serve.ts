import { setTimeout } from "node:timers/promises";
import { serveAnswers } from "../../../app/approvals/answers.ts";
import { deliverQuestions } from "../../../app/approvals/deliver-questions.ts";
import { openRecords, type Records } from "../../../app/records/records.ts";
import type { AnswerServer } from "../../../approvals/http-answers/server.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { listenAddress } from "../../../config/settings.ts";
import { readSettings, settingsPath } from "../../../config/settings-file.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";

/** How often it is looked for questions that nobody was told of yet. */
const POLL_MS = 5_000;

export type ServeOptions = { readonly listen?: string };

/**
 * `warder approvals serve`: accepts answers over HTTP, with the tokens from webhooks, and posts questions that are not delivered yet, until interrupted.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const records = openRecords();
  try {
    const server = await serveConfigured(records, options.listen);
    try {
      process.stdout.write(`Answers are taken at ${server.url}approvals/…\n`);
      await withInterrupt(async (signal) => {
        const say = (line: string): void => void process.stdout.write(`${makeVisibleLine(line)}\n`);
        while (!signal.aborted) {
          await deliverQuestions(records, { signal, say });
          await setTimeout(POLL_MS, undefined, { signal }).catch(() => null);
        }
      });
      return EXIT.interrupted;
    } finally {
      await server.close();
    }
  } finally {
    records.store.close();
  }
}

/** Accepts answers where settings.yaml says, or at another loopback address. Throws `bad-configuration` if it says nothing, `usage` for a bad address. */
export async function serveConfigured(records: Records, address?: string): Promise<AnswerServer> {
  const { directory } = records.store.paths;
  const { answers } = readSettings(directory);
  if (answers === null)
    throw new AgentError(
      "bad-configuration",
      `No webhook invites to answer here: ${settingsPath(directory)} has no approvals.answers. See: docs/guides/approvals.md`,
    );
  const listen = address === undefined ? answers.listen : listenAddress(address);
  if (listen === null) throw new AgentError("usage", "--listen takes an address of loopback: 127.0.0.1:PORT or [::1]:PORT. Put a TLS proxy in front of it.");
  return await serveAnswers(records, { listen, url: answers.url });
}
