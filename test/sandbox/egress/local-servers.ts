import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server as NetServer } from "node:net";
import { makeCertificate } from "../../support/certificate.ts";

/** What a server of a test was asked, in order. */
export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
};

export type LocalServers = {
  readonly http: number;
  readonly https: number;
  /** The self-made certificate, for `secure.example.org`. */
  readonly certificate: string;
  readonly asked: Asked[];
  close(): void;
};

/**
 * An HTTP and an HTTPS server on loopback that answer the same: `…/echo` the body, `…/large` a mebibyte, `…/headers` what they were sent,
 * `…/away` with a redirect to the other host, `…/hold` never, else `hello PATH`.
 */
export async function startLocalServers(files: Readonly<Record<string, Buffer>> = {}): Promise<LocalServers> {
  const { key, cert: certificate } = makeCertificate("secure.example.org");
  const asked: Asked[] = [];
  const answer: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      const url = request.url ?? "";
      asked.push({ method: request.method ?? "", url, headers: request.headers, rawHeaders: request.rawHeaders, body });
      const file = files[url.split("?")[0] ?? ""];
      if (Object.keys(files).length > 0 && file === undefined && !/^\/(?:hello|v1)/u.test(url)) response.writeHead(404).end();
      else if (url.endsWith("/away")) response.writeHead(302, { location: `http://files.example.org:${portOf(http)}/hello/landed` }).end();
      else if (!url.endsWith("/hold")) response.end(file ?? contentOf(url, body, request.headers));
    });
  };
  const http = createServer(answer);
  const https = createTlsServer({ key, cert: certificate }, answer);
  await Promise.all([listen(http), listen(https)]);
  return {
    http: portOf(http),
    https: portOf(https),
    certificate,
    asked,
    close: () => {
      for (const server of [http, https]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function contentOf(url: string, body: string, headers: Asked["headers"]): string | Buffer {
  if (url.endsWith("/echo")) return body;
  if (url.endsWith("/headers")) return JSON.stringify(headers);
  return url.endsWith("/large") ? Buffer.alloc(1024 * 1024, "x") : `hello ${url}`;
}

export function listen(server: NetServer): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
}

export function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}
