import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { Reach } from "../../mcp/http/connect.ts";
import { hostOf, type McpServer } from "../../mcp/server.ts";
import { fetchThrough } from "../../sandbox/egress/client/fetch.ts";
import { openEgress } from "../../sandbox/egress/session.ts";
import { egressOptionsFor, removeKilled, removeUnlessKept, type ServerPlace } from "./start.ts";

/** The way to a server, or a document, at an address: an egress proxy of its own that lets through its hosts and nothing else. Each connection is recorded. */
export async function reach(server: Pick<McpServer, "hosts"> & { readonly url: string }, { records, runId }: ServerPlace): Promise<Reach> {
  const { runs } = records.store.paths;
  removeKilled(runs);
  const id = newId("server");
  const runDirectory = join(runs, id);
  mkdirSync(runDirectory, { mode: 0o700, recursive: true });
  try {
    const place = { directory: join(runDirectory, "egress"), traffic: new Map() };
    const egress = await openEgress({ allow: [hostOf(server), ...server.hosts] }, { ...egressOptionsFor(records, runId), runId: id, runDirectory }, place);
    if (egress === null) throw new AgentError("broken-invariant", "A server's own host opens its way out.");
    const close = async (): Promise<void> => {
      await egress.close().finally(() => {
        removeUnlessKept(runDirectory);
      });
    };
    return { fetched: fetchThrough({ egress }), close };
  } catch (error) {
    removeUnlessKept(runDirectory);
    throw error;
  }
}
