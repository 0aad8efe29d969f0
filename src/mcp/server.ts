import { digestOf } from "../base/digest.ts";
import type { Access } from "../policy/policy.ts";

/** Of one server. */
export const MAX_TOOLS = 128;

/** An MCP server that a person named: what is started, and what its sandbox gives it. */
export type McpServer = {
  readonly name: string;
  /** Where it answers; absent: it is started here. */
  readonly url?: string;
  /** A program of its sandbox, and its words; of one at an address none. */
  readonly command: readonly string[];
  /** A prepared image's name or a digest; absent: Warder's own. */
  readonly image?: string;
  /** Absolute real paths of this machine. */
  readonly roots: readonly { readonly path: string; readonly access: Access }[];
  /** What it may reach, as in a policy's `sandbox.network.allow`. */
  readonly hosts: readonly string[];
  /** Names of variables of this process that it is given. */
  readonly env: readonly string[];
  /** For one call. */
  readonly timeoutMs: number;
};

/** The host of a server at an address, as policies write hosts. */
export function hostOf({ url }: { readonly url: string }): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}

export const isRemote = (server: McpServer): server is McpServer & { readonly url: string } => server.url !== undefined;

/** What a server said of one tool. Nothing in it is believed; it is what a person confirmed. */
export type ServerTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** It is none of the server's own: Warder asks for what the server has beside tools. Absent: it is. */
  readonly does?: "resources" | undefined;
};

/** What a person confirmed of a server. */
export type Pin = {
  readonly server: string;
  /** Of what stands in the settings. */
  readonly digest: string;
  readonly tools: readonly ServerTool[];
};

/** What it is that a person confirms beside the tools: another command, image or root is another server. */
export function serverDigest({ timeoutMs: _timeoutMs, ...server }: McpServer): string {
  return digestOf(server);
}

export const toolDigest = (tool: ServerTool): string => digestOf(tool);

/** How a policy and a model name a tool. */
export const ownName = (server: string, tool: string): string => `${server}__${tool}`;
