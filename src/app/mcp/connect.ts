import type { Connection, Hearing } from "../../mcp/connection.ts";
import { isRemote, type McpServer } from "../../mcp/server.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { signInStore } from "./sign-ins.ts";
import { reach } from "./reach.ts";
import { startIn, type ServerPlace } from "./start.ts";

type Given = { readonly context: WorkspaceContext; readonly place: ServerPlace; readonly hearing: Hearing };

/** Greets a server: in its sandbox, or at its address. Rejects where it does not answer. What speaks the protocol is loaded here. */
export async function connectTo(server: McpServer, { context, place, hearing }: Given): Promise<Connection> {
  if (isRemote(server)) {
    const { connectHttp } = await import("../../mcp/http/connect.ts");
    return await connectHttp(server, async () => ({ ...(await reach(server, place)), store: signInStore(place.records, server) }), hearing);
  }
  const { connect } = await import("../../mcp/connection.ts");
  return await connect(startIn(server, context, place), hearing);
}
