import { AgentError } from "../../base/errors.ts";
import type { ServerPlace } from "../../policy/request.ts";
import { DEFAULT_TRAITS } from "./traits.ts";
import type { ContentPart, DelegationEnd, Handles, Tool, ToolContext, ToolRequest, ToolResult } from "./tool.ts";

/** A tool of a program that embeds Warder, whatever its schema. */
type OwnTool = Omit<Tool<never>, "schema"> & Pick<Tool, "schema">;

const MAX_REQUESTS = 1000;
const MAX_PARTS = 10_000;
const MAX_DETAILS_CHARACTERS = 64 * 1024;
/** Of a result's details Warder's own: what it says of a command that ran, and where a long result is kept. */
const WARDERS_DETAILS: ReadonlySet<string> = new Set(["notes", "artifact"]);

/**
 * A tool of a program that embeds Warder, as the gate deals with it. Its code is not Warder's: what it does without a handle happens by the request `invoke`
 * alone. What it says is read once and kept as plain data, so what was judged, recorded and shown stays what it was, though the tool changes it afterwards.
 */
export function ownTool(tool: OwnTool): OwnTool {
  const held = { ...tool };
  if (typeof held.execute !== "function" || typeof held.requests !== "function" || typeof held.name !== "string")
    throw new AgentError("bad-configuration", `The tool ${JSON.stringify(held.name)} cannot be used: it has no name, execute or requests of its own.`, {
      remedy: "Make it with defineTool.",
    });
  const { name, traits } = held;
  const aliases = Object.freeze(Array.from(held.aliases, String));
  return Object.freeze({
    ...held,
    aliases,
    needs: Object.freeze((held.needs ?? []).map((need) => Object.freeze({ ...need }))),
    traits: Object.freeze({ ...DEFAULT_TRAITS, ...traits, history: Object.freeze({ ...traits.history }), identity: Object.freeze({ ...traits.identity }) }),
    requests: (input, setting) => [{ kind: "invoke", tool: name }, ...plainRequests(held.requests(input, setting))],
    execute: async (input, context) => {
      const children = new Set<string>();
      return plainResult(await held.execute(input, contextFor(context, children)), children);
    },
  } satisfies OwnTool);
}

/** What the run has read is Warder's own to know: a tool gets a copy. */
function contextFor(context: ToolContext, children: Set<string>): ToolContext {
  const { handles } = context;
  const run: Handles["agents"]["run"] = async (delegation): Promise<DelegationEnd> => {
    const end = await handles.agents.run(delegation);
    if (end.kind === "ended") children.add(end.runId);
    return end;
  };
  return { ...context, seen: new Map(context.seen), handles: { ...handles, agents: { ...handles.agents, run } } };
}

function plainRequests(requests: readonly ToolRequest[]): readonly ToolRequest[] {
  if (!Array.isArray(requests) || requests.length > MAX_REQUESTS) throw new TypeError(`A tool states at most ${MAX_REQUESTS} requests, in a list.`);
  return Array.from(requests, plainRequest);
}

function plainRequest(request: ToolRequest): ToolRequest {
  const { kind } = request;
  switch (kind) {
    case "command": {
      const { text, cwd, place } = request;
      return Object.freeze({ kind, text: asText(text), cwd: asText(cwd), ...(place === undefined ? {} : { place: plainPlace(place) }) });
    }
    case "read": {
      const { path, isRecursive } = request;
      if (typeof isRecursive !== "boolean") throw new TypeError("A request to read says whether it is recursive.");
      return Object.freeze({ kind, path: asText(path), isRecursive });
    }
    case "write":
      return Object.freeze({ kind, path: asText(request.path) });
    // It opens no handle: it is judged, and no more.
    case "server-path": {
      const { use, path, place } = request;
      return Object.freeze({ kind, use, path: asText(path), place: plainPlace(place) });
    }
    case "connect":
    case "send": {
      const { host, port } = request;
      if (!Number.isInteger(port)) throw new TypeError("A request to connect names a port.");
      return Object.freeze({ kind, host: asText(host), port });
    }
    case "invoke":
      return Object.freeze({ kind, tool: asText(request.tool) });
    case "schedule":
      return Object.freeze({ kind, name: asText(request.name) });
    case "delegate":
      return Object.freeze({ kind, task: asText(request.task) });
    case "remember":
    case "message":
      return Object.freeze({ kind });
    case "question":
      throw new TypeError("Only Warder's own ask_user asks a person for words.");
    case "plan":
      throw new TypeError("Only Warder's own plan_done asks to leave a plan.");
    default:
      throw new TypeError("There is no such request.");
  }
}

function plainPlace({ server, roots, hosts = [], env = [] }: ServerPlace): ServerPlace {
  const plain = Array.from(roots, ({ path, access }) => Object.freeze({ path: asText(path), access }));
  return Object.freeze({
    server: asText(server),
    roots: Object.freeze(plain),
    hosts: Object.freeze(Array.from(hosts, asText)),
    env: Object.freeze(Array.from(env, asText)),
  });
}

/** Throws for what is no result. Everything that a tool made is read here, once. */
function plainResult(made: ToolResult, children: ReadonlySet<string>): ToolResult {
  const { content, isError, label, childRunId, terminate, details } = made;
  if (!Array.isArray(content) || content.length > MAX_PARTS) throw new TypeError(`A result has a list of at most ${MAX_PARTS} parts.`);
  if (typeof isError !== "boolean" || (label !== "trusted" && label !== "untrusted")) throw new TypeError("A result says whether it failed, and its label.");
  if (terminate !== undefined && typeof terminate !== "boolean") throw new TypeError("A vote is true or false.");
  return {
    content: Array.from(content as readonly ContentPart[], plainPart),
    isError,
    label,
    ...(typeof childRunId === "string" && children.has(childRunId) ? { childRunId } : {}),
    ...(terminate === undefined ? {} : { terminate }),
    ...(details === undefined ? {} : { details: plainDetails(details) }),
  };
}

function plainPart(part: ContentPart): ContentPart {
  const { kind } = part;
  if (kind === "text") return { kind, text: asText(part.text) };
  if (kind === "json") return { kind, value: JSON.parse(JSON.stringify(part.value) ?? "null") as unknown };
  const { mediaType, data } = part;
  if (kind === "image") return { kind, mediaType: asText(mediaType) as typeof mediaType, data: asText(data) };
  throw new TypeError("There is no such part of a result.");
}

/** Events and logs do without details that have no JSON form, or too long a one. */
function plainDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    const text = JSON.stringify(details);
    if (text.length > MAX_DETAILS_CHARACTERS) return {};
    return Object.fromEntries(Object.entries(JSON.parse(text) as object).filter(([key]) => !WARDERS_DETAILS.has(key)));
  } catch (error) {
    void error;
    return {};
  }
}

/** An object that can be made a text of could be another text each time. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("A text is wanted.");
}
