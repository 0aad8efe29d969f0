import { makeVisibleLine } from "../base/text.ts";
import type { CallAnswer, CallOptions, Connection } from "./connection.ts";
import type { ServerTool } from "./server.ts";

/** What a server has to read, as a tool of Warder's own. It is confirmed, named and judged as the server's tools are. */
export const RESOURCES: ServerTool = {
  name: "resources",
  description: "Lists what the server has to read, or reads one of it.",
  inputSchema: {
    type: "object",
    properties: {
      uri: { type: "string", description: "Of one to read, as the list says it. Absent: the list." },
    },
    additionalProperties: false,
  },
  annotations: {},
  does: "resources",
};

const MAX_URI = 2_000;
const MAX_LISTED = 500;
const MAX_PAGES = 10;
const MAX_LINE = 300;
/** Of one resource: a result holds less than all of them. */
const MAX_CONTENTS = 50;

type Values = Readonly<Record<string, unknown>>;
type Within = Pick<CallOptions, "signal" | "timeoutMs">;

/** What is wrong with a call's arguments beside their types, in words for a model; null: nothing is. */
export function resourceFault({ uri }: Values): string | null {
  if (uri === undefined || (typeof uri === "string" && uri.length <= MAX_URI && makeVisibleLine(uri) === uri && URL.canParse(uri))) return null;
  return `uri must be one of the list, of at most ${String(MAX_URI)} characters`;
}

/** Lists what a server has, or reads one thing: data from outside, bounded as its tools' answers are. */
export async function readResources(connection: Connection, { uri }: Values, within: Within): Promise<CallAnswer> {
  if (typeof uri === "string") return await readOne(connection, uri, within);
  const resources = await listed(connection, "resources/list", "resources", within);
  const templates = await listed(connection, "resources/templates/list", "resourceTemplates", within).catch((error: unknown) => {
    // Not every server has some, and one that has none may not know the question.
    if (error instanceof Error && !within.signal.aborted) return [];
    throw error;
  });
  const lines = [...resources, ...templates].slice(0, MAX_LISTED).map(lineOf);
  const rest = resources.length + templates.length > MAX_LISTED ? ["[warder: the rest was left out]"] : [];
  return said(lines.length === 0 ? "[warder: there is nothing to read]" : [...lines, ...rest].join("\n"));
}

async function readOne(connection: Connection, uri: string, within: Within): Promise<CallAnswer> {
  const { contents } = await connection.look({ method: "resources/read", params: { uri }, name: uri }, within);
  if (!Array.isArray(contents)) throw new Error("its answer holds no contents");
  const content = (contents as unknown[]).slice(0, MAX_CONTENTS).map((resource) => {
    const { mimeType, blob } = (resource ?? {}) as Values;
    const isImage = typeof mimeType === "string" && mimeType.startsWith("image/") && typeof blob === "string";
    return isImage ? { type: "image", mimeType, data: blob } : { type: "resource", resource };
  });
  return { content, isError: false };
}

async function listed(connection: Connection, method: "resources/list" | "resources/templates/list", key: string, within: Within): Promise<readonly Values[]> {
  const all: Values[] = [];
  let cursor: unknown;
  for (let pages = 0; pages < MAX_PAGES && all.length <= MAX_LISTED; pages += 1) {
    const page = await connection.look({ method, params: typeof cursor === "string" ? { cursor } : {} }, within);
    const found = page[key];
    if (Array.isArray(found))
      all.push(...(found as unknown[]).slice(0, MAX_LISTED + 1).filter((each): each is Values => typeof each === "object" && each !== null));
    cursor = page["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return all;
}

/** A line for each: what is to be given as `uri` comes first. */
function lineOf({ uri, uriTemplate, name, title, description, mimeType, size }: Values): string {
  const texts = [uri ?? uriTemplate, title ?? name, mimeType, typeof size === "number" ? `${String(size)} bytes` : undefined, description];
  const line = texts.flatMap((text) => (typeof text === "string" && text !== "" ? [makeVisibleLine(text.toWellFormed())] : [])).join(" · ");
  return line.length > MAX_LINE && typeof uri === "string" && uri.length < MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line.slice(0, MAX_URI);
}

const said = (text: string): CallAnswer => ({ content: [{ type: "text", text }], isError: false });
