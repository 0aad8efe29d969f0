import { isIP, isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { openClientRun } from "../../../app/run/client-run.ts";
import { openingText } from "../../../app/run/opening.ts";
import type { WorkspaceContext } from "../../../app/setup/context.ts";
import { AgentError } from "../../../base/errors.ts";
import { isLoopback } from "../../../policy/matching/hosts.ts";
import { startHttpServer, type HttpAddress } from "../../../serve/http/server.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { mcpToken } from "./token.ts";

export type HttpServing = {
  readonly context: () => WorkspaceContext;
  readonly address: string;
  readonly tokenFile: string | undefined;
  readonly elicitation: boolean;
  readonly version: string;
  readonly say: (text: string) => void;
};

const IDLE_MS = 10 * 60 * 1_000;

/** Serves until it is stopped. Each session is a run of its own; so are all clients together that have no sessions. */
export async function serveOverHttp({ context, address, tokenFile, elicitation, version, say }: HttpServing): Promise<number> {
  const listen = addressOf(address);
  // What is wrong with policy or workspace is said now, and not to the first client.
  context();
  const { token, made } = mcpToken(tokenFile, process.env);
  return await withInterrupt(async (signal) => {
    const server = await startHttpServer({
      listen,
      token,
      names: isAnywhere(listen.host) ? ownNames() : [],
      open: async () => {
        const run = await openClientRun(context(), (opening) => say(openingText(opening)));
        say(`run ${run.id}`);
        return run;
      },
      idleMs: IDLE_MS,
      version,
      mayElicit: elicitation,
      say,
    });
    if (!isLoopback(listen.host))
      say(
        "WARNING: other machines reach this address, and nothing on the way is encrypted. Whoever has the token calls these tools. Put a TLS proxy before it.",
      );
    if (made !== null) say(`a token was made, and is shown this once: ${token}\nwarder: it stands in ${made}`);
    say(`serving at ${server.url}`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await server.close("it was stopped");
    return EXIT.interrupted;
  });
}

function addressOf(text: string): HttpAddress {
  const { host = "127.0.0.1", port = "" } = /^(?:(?<host>\[[0-9a-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):)?(?<port>0|[1-9][0-9]{0,4})$/iu.exec(text)?.groups ?? {};
  const bare = host.replace(/^\[|\]$/gu, "");
  const isHost = host.startsWith("[") ? isIPv6(bare) : !/^[\d.]+$/u.test(bare) || isIP(bare) === 4;
  if (port === "" || Number(port) > 65_535 || !isHost)
    throw new AgentError("usage", `--http takes a port, or HOST:PORT, and not ${JSON.stringify(text)}.`, { remedy: "For example: --http 8720" });
  return { host: bare, port: Number(port) };
}

function isAnywhere(host: string): boolean {
  return host === "0.0.0.0" || /^[0:]+$/u.test(host);
}

function ownNames(): string[] {
  return [hostname(), ...Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))];
}
