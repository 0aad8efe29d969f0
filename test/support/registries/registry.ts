import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { unescape } from "node:querystring";
import { readBody } from "../http-server.ts";
import { cratesAnswers } from "./crates.ts";
import { debianAnswers } from "./debian.ts";
import { repositoryFiles } from "./git.ts";
import { goAnswers } from "./go.ts";
import { mavenAnswers } from "./maven.ts";
import { npmAnswers } from "./npm.ts";
import type { Answers, Package, Places } from "./package.ts";
import { pypiAnswers } from "./pypi.ts";

const PROTOCOLS = { npm: npmAnswers, pypi: pypiAnswers, crates: cratesAnswers, go: goAnswers, maven: mavenAnswers, debian: debianAnswers };

export type RegistryKind = keyof typeof PROTOCOLS;

/** `git`: a repository over HTTP. */
const SERVED = { ...PROTOCOLS, git: gitAnswers };

export type ServedKind = keyof typeof SERVED;

export const SERVED_KINDS = Object.keys(SERVED) as readonly ServedKind[];

/** A request that reached the registry, whatever became of it. */
export type Reached = { readonly method: string; readonly url: string; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string };

export type Registry = AsyncDisposable & {
  readonly port: number;
  /** Its index, as a client is configured with it (a sparse index, a simple index with `/simple` behind it, a GOPROXY). No slash at the end. */
  readonly url: string;
  /** Everything that arrived, in order. */
  readonly reached: readonly Reached[];
};

export type RegistryOptions = {
  /** The name by which clients know it (`127.0.0.1`). It listens on 127.0.0.1, whatever they call it. */
  readonly host?: string;
  /** The host by which its index names the archives, where that is another. The same server answers. */
  readonly archivesHost?: string;
  /** Then it speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The `Authorization` without which it answers 401. */
  readonly authorization?: string;
  /** In place of `greeting` and what that needs. */
  readonly packages?: readonly Package[];
};

/**
 * A registry on loopback that speaks the protocol of its clients over real HTTP. It has a package `greeting` 1.0.0 that needs another one. `GET` and `HEAD` of what it
 * has are answered, also with a query and with escapes in the path (npm writes a scope's slash so); what it has not is 404; any other method is taken with 201, so that a test sees what would have arrived.
 */
export async function startRegistry(kind: ServedKind, options: RegistryOptions = {}): Promise<Registry> {
  const { host = "127.0.0.1", archivesHost = host, tls, authorization } = options;
  const reached: Reached[] = [];
  let answers: Answers = new Map();
  const answer: RequestListener = (request, response) => {
    void readBody(request).then((body) => {
      const { method = "", url = "", headers } = request;
      reached.push({ method, url, headers, body });
      if (authorization !== undefined && headers.authorization !== authorization) return response.writeHead(401).end();
      if (method !== "GET" && method !== "HEAD") return response.writeHead(201, { "content-type": "application/json" }).end("{}");
      const found = answers.get(unescape(url.replace(/\?.*$/su, "")).slice(kind.length + 1));
      if (found === undefined) return response.writeHead(404).end();
      const content = Buffer.from(found.body);
      response.writeHead(200, { "content-type": found.type, "content-length": content.length });
      return response.end(method === "HEAD" ? undefined : content);
    });
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const urlAt = (name: string): string => `${tls === undefined ? "http" : "https"}://${name}:${String(port)}/${kind}`;
  const places: Places = { index: urlAt(host), archives: urlAt(archivesHost) };
  answers = SERVED[kind](places, options.packages);
  return {
    port,
    url: places.index,
    reached,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function gitAnswers(): Answers {
  return new Map(Object.entries(repositoryFiles()).map(([path, body]) => [path, { type: "application/octet-stream", body }]));
}
