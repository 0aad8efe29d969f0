import { join } from "node:path";
import { z } from "zod";
import type { Pin } from "../../mcp/server.ts";
import { readStateRecord, writeStateRecord } from "./record.ts";

const values = z.record(z.string(), z.unknown());

const pin = z.strictObject({
  server: z.string(),
  digest: z.string(),
  tools: z.array(
    z.strictObject({ name: z.string(), description: z.string(), inputSchema: values, annotations: values, does: z.literal("resources").optional() }),
  ),
  content: z.string().optional(),
  by: z.string(),
  confirmedAt: z.string(),
});

const shape = z.strictObject({ version: z.literal(1), pins: z.array(pin) });

/** Who confirmed it, and when. `content`: the digest of the document that an API's tools were read from. */
export type ConfirmedPin = Pin & { readonly content?: string | undefined; readonly by: string; readonly confirmedAt: string };

/** What people confirmed of MCP servers and of documents of APIs, in `mcp-servers.json` of the state directory. Throws `bad-configuration` for a file that cannot be understood. */
export function readPins(stateDirectory: string): readonly ConfirmedPin[] {
  return readStateRecord(pathIn(stateDirectory), shape, { of: "confirmed MCP servers", again: "confirm your servers anew" })?.pins ?? [];
}

/** Puts one in the place of what was confirmed of its server. Two processes must not do it at once (`Store.exclusively`). */
export function writePin(stateDirectory: string, made: ConfirmedPin): void {
  const pins = [...readPins(stateDirectory).filter(({ server }) => server !== made.server), made];
  writeStateRecord(pathIn(stateDirectory), { version: 1, pins: pins.toSorted((one, other) => (one.server < other.server ? -1 : 1)) });
}

const pathIn = (stateDirectory: string): string => join(stateDirectory, "mcp-servers.json");
