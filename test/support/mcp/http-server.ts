import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { listen, portOf } from "../../sandbox/egress/local-servers.ts";

/** A server on loopback that ends with the test. Gives the address of its endpoint. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String(portOf(server))}/mcp`;
}

/** The same for what answers a `Request`, such as the protocol's own servers. */
export async function serveFetch(fetched: (request: Request) => Promise<Response>): Promise<string> {
  return await serve((request, response) => {
    const gone = new AbortController();
    response.on("close", () => {
      gone.abort();
    });
    void bodyOf(request)
      .then((body) =>
        fetched(
          new Request(`http://${request.headers.host ?? ""}${request.url ?? ""}`, {
            method: request.method ?? "GET",
            headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
            signal: gone.signal,
            ...(body === "" ? {} : { body }),
          }),
        ),
      )
      .then((answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.flushHeaders();
        if (answer.body === null) response.end();
        else
          Readable.fromWeb(answer.body)
            .on("error", () => response.destroy())
            .pipe(response);
      });
  });
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
