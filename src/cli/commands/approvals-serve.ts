import { serveAnswers } from "../../app/answers.ts";
import { openRecords } from "../../app/records.ts";
import { AgentError } from "../../base/errors.ts";
import { listenAddress, readSettings, settingsPath } from "../../config/settings.ts";
import { EXIT } from "../exit-code.ts";
import { withInterrupt } from "../interrupt.ts";

export type ServeOptions = { readonly listen?: string };

/** `warder approvals serve`: takes answers over HTTP, with the tokens that webhooks carry, until it is interrupted. */
export async function serve(options: ServeOptions): Promise<number> {
  const records = openRecords();
  try {
    const { directory } = records.store.paths;
    const { answers } = readSettings(directory);
    if (answers === null)
      throw new AgentError(
        "bad-configuration",
        `No webhook invites to answer here: ${settingsPath(directory)} has no approvals.answers. See: docs/guides/approvals.md`,
      );
    const listen = options.listen === undefined ? answers.listen : listenAddress(options.listen);
    if (listen === null) throw new AgentError("usage", "--listen takes an address of loopback: 127.0.0.1:PORT or [::1]:PORT. Put a TLS proxy in front of it.");
    const server = await serveAnswers(records, { listen, url: answers.url });
    try {
      process.stdout.write(`Answers are taken at ${server.url}approvals/…, and reach it from outside by ${answers.url.href}\n`);
      await withInterrupt(async (signal) => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        signal.addEventListener("abort", () => {
          resolve(undefined);
        });
        await promise;
      });
      return EXIT.interrupted;
    } finally {
      await server.close();
    }
  } finally {
    records.store.close();
  }
}
