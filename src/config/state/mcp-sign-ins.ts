import { join } from "node:path";
import { z } from "zod";
import type { KeptSignIn } from "../../mcp/http/sign-in.ts";
import { readStateRecord, writeStateRecord } from "./record.ts";

// What a server may add is kept as it came.
const client = z.looseObject({ client_id: z.string(), client_secret: z.string().optional(), issuer: z.string().optional() });
const tokens = z.looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional(), issuer: z.string().optional() });
const one = z.strictObject({ server: z.string(), url: z.string(), client: client.nullable(), tokens: tokens.nullable() });
const shape = z.strictObject({ version: z.literal(1), servers: z.array(one) });

export const NOT_SIGNED_IN: KeptSignIn = { client: null, tokens: null };

type Place = { readonly server: string; readonly url: string };

/** What a person signed in for at a server of this name and address, in `mcp-sign-ins.json` of the state directory, for its owner alone. Throws `bad-configuration` for a file that cannot be understood. */
export function readSignIn(stateDirectory: string, { server, url }: Place): KeptSignIn {
  const found = read(stateDirectory).find((each) => each.server === server && each.url === url);
  return found === undefined ? NOT_SIGNED_IN : { client: found.client, tokens: found.tokens };
}

/** Puts it in the place of what was kept of the server; with {@link NOT_SIGNED_IN} nothing is. Two processes must not do it at once (`Store.exclusively`). */
export function writeSignIn(stateDirectory: string, { server, url }: Place, kept: KeptSignIn): void {
  const others = read(stateDirectory).filter((each) => each.server !== server);
  const servers = kept === NOT_SIGNED_IN ? others : [...others, { server, url, ...kept }];
  writeStateRecord(pathIn(stateDirectory), { version: 1, servers: servers.toSorted((first, second) => (first.server < second.server ? -1 : 1)) });
}

const pathIn = (stateDirectory: string): string => join(stateDirectory, "mcp-sign-ins.json");

function read(stateDirectory: string): readonly z.output<typeof one>[] {
  return readStateRecord(pathIn(stateDirectory), shape, { of: "sign-ins to MCP servers", again: "sign in again" })?.servers ?? [];
}
