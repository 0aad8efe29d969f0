import { z } from "zod";
import type { McpServer } from "../mcp/server.ts";
import { imageFault } from "../policy/language/image-name.ts";
import { variableFault } from "../policy/language/dangerous-variables.ts";
import { isHostPattern } from "../policy/matching/hosts.ts";
import { durationMs } from "../policy/text/quantity.ts";
import { readUrl } from "../tools/contract/web-command.ts";
import { TOOL_NAMES } from "../policy/tool-names.ts";

const problem = (message: string) => ({ error: message });

const MAX_SERVERS = 16;
const MAX_CALL_MS = 600_000;
const DEFAULT_CALL_MS = 60_000;

/** A model or a person could take a server of such a name for Warder itself. */
const TAKEN: ReadonlySet<string> = new Set(["builtin", "mcp", "warder", ...Object.entries(TOOL_NAMES).flatMap(([name, aliases]) => [name, ...aliases])]);

const word = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/u);

/** Unencrypted to this machine alone. */
export function isServerUrl(text: string): boolean {
  const read = readUrl(text);
  if (!("url" in read) || text.includes("#")) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || hostname === "127.0.0.1" || hostname === "[::1]";
}

const serverFields = z.strictObject({
  command: z.array(word).min(1).max(100).optional().describe("A program of the server's sandbox, and its words."),
  url: z
    .string()
    .max(2000)
    .refine(isServerUrl, problem("An address of a server is an https URL, or an http URL of 127.0.0.1, without user name."))
    .optional()
    .describe("Where a server answers over HTTP, in place of a command."),
  image: z
    .string()
    .refine((text) => imageFault(text) === null, problem("An image is a name that `warder image add` prepared, or its digest."))
    .optional(),
  roots: z
    .array(z.strictObject({ path: z.string().startsWith("/").max(4096), access: z.enum(["read", "read-write"]).default("read") }))
    .max(16)
    .default([])
    .describe("Directories of this machine that it sees. Absent: none."),
  hosts: z
    .array(z.string().refine(isHostPattern, problem("A host is written as in `sandbox.network.allow` of a policy.")))
    .max(50)
    .default([])
    .describe("Hosts that it may reach. Absent: none."),
  env: z
    .array(z.string().refine((name) => variableFault(name) === null, problem("A variable is named, and is none that programs are steered by.")))
    .max(50)
    .default([])
    .describe("Names of variables that it is given. Absent: none."),
  timeout: z
    .string()
    .refine((text) => (durationMs(text) ?? 0) > 0 && (durationMs(text) ?? 0) <= MAX_CALL_MS, problem("A time of at most ten minutes: 60s."))
    .optional()
    .describe("For one call. Absent: 60s."),
});

const server = serverFields
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), problem("A server has either a command or a url."))
  .refine(
    ({ url, image, roots, env }) => url === undefined || (image === undefined && roots.length === 0 && env.length === 0),
    problem("A server with a url is not started here: it has no image, roots and env."),
  );

/** How a person names what has tools of its own. */
export const foreignName = z
  .string()
  .regex(
    /^[a-z](?:_?[a-z0-9]){0,23}$/u,
    problem("A server's name has lower-case letters, digits and single `_`, begins with a letter, and has at most 24 of them."),
  )
  .refine((name) => !TAKEN.has(name), problem("A server cannot have the name of one of Warder's tools."));

/** The key `mcp` of the settings: servers by their names. */
export const mcpSettingsSchema = z
  .record(foreignName, server)
  .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, problem(`There are at most ${String(MAX_SERVERS)} servers.`));

export function mcpServersOf(servers: z.output<typeof mcpSettingsSchema>): readonly McpServer[] {
  return Object.entries(servers).map(([name, { timeout, image, command = [], url, ...rest }]) => ({
    name,
    command,
    ...rest,
    ...(url === undefined ? {} : { url }),
    ...(image === undefined ? {} : { image }),
    timeoutMs: timeout === undefined ? DEFAULT_CALL_MS : (durationMs(timeout) ?? DEFAULT_CALL_MS),
  }));
}
