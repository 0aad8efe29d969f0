import { existsSync, readFileSync } from "node:fs";
import type { RequestOptions } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { AgentError } from "../../../base/errors.ts";
import { sshAgent } from "./ssh.ts";
import { secureContext } from "./tls.ts";

const http = process.getBuiltinModule("node:http");

/** Where an engine listens. */
export type EngineAddress = {
  /** For a person. */
  readonly name: string;
  /** What `node:http` needs to reach it. */
  readonly request: Pick<RequestOptions, "socketPath" | "host" | "port" | "agent">;
};

/** How the variables of Docker's own client say it. */
export type EnginePlace = {
  /** DOCKER_HOST: `unix:///path`, `tcp://host:port`, `ssh://user@host`. */
  readonly dockerHost?: string | undefined;
  /** The folder with `ca.pem`, `cert.pem` and `key.pem`, where TCP is spoken over TLS. */
  readonly certificates?: string | undefined;
};

const DEFAULT_HOST = "unix:///var/run/docker.sock";
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** What DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say. */
export function enginePlaceIn(environment: NodeJS.ProcessEnv): EnginePlace {
  const { DOCKER_HOST: dockerHost, DOCKER_TLS_VERIFY: verify = "", DOCKER_CERT_PATH: folder = "" } = environment;
  const certificates = folder !== "" ? folder : verify !== "" ? join(environment["HOME"] ?? homedir(), ".docker") : undefined;
  return { dockerHost, certificates };
}

/** Throws `bad-configuration` for what is no address, and for one that anybody on the way could read and answer. */
export function engineAddress({ dockerHost, certificates }: EnginePlace): EngineAddress {
  const text = dockerHost || DEFAULT_HOST;
  const socketPath = /^unix:\/\/(\/.+)$/u.exec(text)?.[1];
  if (socketPath !== undefined) return { name: socketPath, request: { socketPath } };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "tcp:") return tcpAddress(url, text, certificates);
  if (url?.protocol === "ssh:") return sshAddress(url, text);
  throw wrongAddress(text);
}

function tcpAddress(url: URL, text: string, certificates: string | undefined): EngineAddress {
  if (url.hostname === "" || url.username !== "" || url.password !== "" || !["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "")
    throw wrongAddress(text);
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const port = url.port === "" ? (certificates === undefined ? PLAIN_PORT : TLS_PORT) : Number(url.port);
  const name = `tcp://${url.hostname}:${String(port)}`;
  if (certificates === undefined) {
    // Who listens on the way would read the workspace, and who answers in the engine's place would say what comes back of it.
    if (isLoopback(host)) return { name, request: { host, port } };
    throw new AgentError("bad-configuration", `DOCKER_HOST is ${name} without TLS: anybody on the way could read the workspace and change what comes back.`, {
      remedy: "Set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH, or use DOCKER_HOST=ssh://USER@HOST.",
    });
  }
  const [ca = "", cert = "", key = ""] = ["ca.pem", "cert.pem", "key.pem"].map((file) => readCertificate(certificates, file));
  const context = secureContext(certificates, { ca, cert, key });
  const agent = new http.Agent({ keepAlive: true });
  agent.createConnection = () => connectTls({ host, port, secureContext: context, ...(isName(host) ? { servername: host } : {}) });
  return { name: `${name} (TLS)`, request: { host, port, agent } };
}

function sshAddress(url: URL, text: string): EngineAddress {
  // As Docker's client: a password in it would be seen by every process, and a path names another socket.
  if (url.hostname === "" || url.password !== "" || !["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "") throw wrongAddress(text);
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const user = decodeURIComponent(url.username);
  if ([host, user].some((word) => word.startsWith("-") || /[\s\p{Cc}]/u.test(word))) throw wrongAddress(text);
  return { name: text, request: { host, port: url.port === "" ? 22 : Number(url.port), agent: sshAgent({ host, user, port: url.port }) } };
}

function wrongAddress(text: string): AgentError {
  return new AgentError("bad-configuration", `DOCKER_HOST is no address of an engine: ${JSON.stringify(text)}.`, {
    remedy: "Unset it, or set it to unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST.",
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(host);
}

/** A number is no name that a certificate could be asked for. */
function isName(host: string): boolean {
  return !/^[\d.]+$/u.test(host) && !host.includes(":");
}

function readCertificate(folder: string, file: string): string {
  const path = join(folder, file);
  if (existsSync(path)) return readFileSync(path, "utf8");
  throw new AgentError("bad-configuration", `${path} is missing, which the engine is reached with.`, {
    remedy: "Set DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem.",
  });
}
