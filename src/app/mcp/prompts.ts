import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { Connection } from "../../mcp/connection.ts";
import { givenFault, listPrompts, promptText, type Prompt } from "../../mcp/prompts.ts";
import { openRecords } from "../records/records.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { connectTo } from "./connect.ts";
import { namedServers } from "./trust.ts";

/** A prompt as a person names it, with what they give to it. */
export type NamedPrompt = { readonly server: string; readonly prompt: string; readonly given: Readonly<Record<string, string>> };

const PAIR = /^(?<name>[\w.-]{1,64})=(?<value>[^]*)$/u;

/** Reads `NAME=VALUE` words. Throws `usage` for any other. */
export function givenBy(words: readonly string[]): NamedPrompt["given"] {
  return Object.fromEntries(
    words.map((word) => {
      const { name, value } = PAIR.exec(word)?.groups ?? {};
      if (name === undefined || value === undefined)
        throw new AgentError("usage", `${makeVisibleLine(word.slice(0, 100))} gives nothing to a prompt.`, { remedy: "Write it as: file=src/a.ts" });
      return [name, value] as const;
    }),
  );
}

/** The prompts of a server that a person confirmed. Throws `usage` for another one, `sandbox-unavailable` where it does not work. */
export async function promptsOf(context: WorkspaceContext, server: string, signal: AbortSignal): Promise<readonly Prompt[]> {
  return await withServer(context, server, async (connection, timeoutMs) => await listPrompts(connection, { signal, timeoutMs }));
}

/** The text of one, visible, in the server's words. Throws as {@link promptsOf} does, and `usage` for what the prompt does not take. */
export async function textOfPrompt(context: WorkspaceContext, { server, prompt, given }: NamedPrompt, signal: AbortSignal): Promise<string> {
  return await withServer(context, server, async (connection, timeoutMs) => {
    const within = { signal, timeoutMs };
    const found = (await listPrompts(connection, within)).find(({ name }) => name === prompt);
    if (found === undefined)
      throw new AgentError("usage", `The MCP server ${server} has no prompt ${JSON.stringify(prompt)}.`, { remedy: `See: warder mcp prompts ${server}` });
    const fault = givenFault(found, given);
    if (fault !== null)
      throw new AgentError("usage", `The prompt ${prompt} of the MCP server ${server} was not used: ${fault}.`, {
        remedy: `See: warder mcp prompts ${server}`,
      });
    return await promptText(connection, prompt, given, within);
  });
}

async function withServer<Made>(context: WorkspaceContext, name: string, work: (connection: Connection, timeoutMs: number) => Promise<Made>): Promise<Made> {
  const records = openRecords();
  try {
    const named = namedServers(records).find(({ server }) => server.name === name);
    if (named === undefined || named.problem !== null)
      throw new AgentError("usage", `No confirmed MCP server is called ${JSON.stringify(name)}.`, { remedy: "See: warder mcp servers" });
    const hearing = { onToolsChanged: () => undefined, canAsk: false };
    const connection = await connectTo(named.server, { context, place: { records, runId: null }, hearing });
    try {
      if (!connection.offers.prompts) throw new AgentError("usage", `The MCP server ${name} has no prompts.`);
      return await work(connection, named.server.timeoutMs);
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const why = error instanceof Error ? makeVisibleLine(error.message) : "it failed";
    throw new AgentError("sandbox-unavailable", `The MCP server ${name} gave no prompt: ${why}`, { cause: error });
  } finally {
    records.store.close();
  }
}
