import { appendAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { type DocumentFile, documentValue, readDocumentFile } from "../../config/openapi-file.ts";
import { type ConfirmedPin, readPins, writePin } from "../../config/state/mcp-pins.ts";
import { readSettings } from "../../config/settings-file.ts";
import type { Catalogue } from "../../mcp/catalogue.ts";
import { changesOf, changeText, type ToolChange } from "../../mcp/difference.ts";
import { mappingFor } from "../../mcp/mapping.ts";
import { ownName, toolDigest, type ServerTool } from "../../mcp/server.ts";
import { apiDigest, type ApiDocument } from "../../openapi/api.ts";
import { Refusal } from "../../openapi/document.ts";
import { catalogueOf } from "../../openapi/operations.ts";
import { operationTool } from "../../openapi/tools.ts";
import type { AnyTool } from "../../tools/registry.ts";
import type { Records } from "../records/records.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { liesIn } from "../setup/places-apart.ts";
import { fetchDocument } from "./fetch-document.ts";

/** A document that a person named, and whether its tools are offered to runs. */
export type NamedDocument = {
  readonly api: ApiDocument;
  readonly pin: ConfirmedPin | null;
  /** Why not, as a sentence; null: they are, where the document is still the same. */ readonly problem: string | null;
};

/** A document as it is now, beside what was confirmed of it. */
export type SeenDocument = NamedDocument & { readonly content: string; readonly catalogue: Catalogue; readonly changes: readonly ToolChange[] };

export function namedDocuments({ store }: Records): readonly NamedDocument[] {
  const { directory } = store.paths;
  const pins = readPins(directory);
  return readSettings(directory).openapi.map((api) => named(api, pins));
}

function named(api: ApiDocument, pins: readonly ConfirmedPin[]): NamedDocument {
  const pin = pins.find(({ server }) => server === api.name) ?? null;
  const look = `so none of its tools is offered. Look at it: warder openapi trust ${api.name}`;
  if (pin === null) return { api, pin, problem: `the OpenAPI document ${api.name} is not confirmed, ${look}` };
  return {
    api,
    pin,
    problem: pin.digest === apiDigest(api) ? null : `the OpenAPI document ${api.name} is configured otherwise than it was confirmed, ${look}`,
  };
}

/** A document's annotations are the request that a tool makes. */
const PARTS = { description: "description", inputSchema: "schema", annotations: "request" };

/** Which paths an agent may write to, and what is said of calls. */
type Context = Pick<WorkspaceContext, "policy" | "workspace">;
/** `directory`: of the state. `taken`: names that others have. */
type Given = { readonly context: Context; readonly directory: string; readonly taken: ReadonlySet<string> };

/** The tools of the person's documents, as they were confirmed, without those that the document has otherwise now. */
export function documentsOfRun(
  apis: readonly ApiDocument[],
  { context, directory, taken }: Given,
): { readonly tools: readonly AnyTool[]; readonly notes: readonly string[] } {
  if (apis.length === 0) return { tools: [], notes: [] };
  const pins = readPins(directory);
  const notes: string[] = [];
  const tools = apis.flatMap((api): readonly AnyTool[] => {
    const { pin, problem } = named(api, pins);
    const now = problem === null && pin !== null ? unchangedTools(api, pin, context) : { tools: [], note: problem };
    if (now.note !== null) notes.push(now.note);
    return now.tools.flatMap((tool) => {
      const name = ownName(api.name, tool.name);
      return taken.has(name) ? [] : (operationTool(api.name, tool, mappingFor(context.policy, name)) ?? []);
    });
  });
  return { tools, notes };
}

function unchangedTools(api: ApiDocument, pin: ConfirmedPin, context: Context): { readonly tools: readonly ServerTool[]; readonly note: string | null } {
  // A document at an address is read when a person confirms it, and by no run: the requests that it makes are in the record.
  if (api.file === undefined) return { tools: pin.tools, note: null };
  const read = readNow(api, context, pin.content);
  if ("problem" in read) return { tools: [], note: `the OpenAPI document ${api.name} is not used: ${read.problem}` };
  if (read.catalogue === null) return { tools: pin.tools, note: null };
  const changes = changesOf(pin.tools, read.catalogue.tools).filter(({ kind }) => kind !== "added");
  if (changes.length === 0) return { tools: pin.tools, note: null };
  const changed = new Set(changes.map(({ tool }) => tool));
  return {
    tools: pin.tools.filter(({ name }) => !changed.has(name)),
    note: `the OpenAPI document ${api.name} is not as a person confirmed it: ${changes
      .slice(0, 5)
      .map((change) => changeText(change, PARTS))
      .join("; ")}. These tools are not offered until somebody looks at it: warder openapi trust ${api.name}`,
  };
}

type Now = { readonly content: string; readonly catalogue: Catalogue };

/** A document as it is now; with a catalogue of null, exactly as it was when it had the digest `known`. */
function readNow(
  api: ApiDocument,
  context: Context,
  known?: string,
): Now | { readonly content: string; readonly catalogue: null } | { readonly problem: string } {
  const { policy, workspace } = context;
  const writable = policy.workspace.roots.filter(({ access }) => access === "read-write").map(({ path }) => path);
  if (api.file === undefined) return { problem: "it has no file" };
  if (liesIn(api.file, [workspace, ...writable])) return { problem: "it lies where an agent may write" };
  const file = readDocumentFile(api.file);
  if ("problem" in file) return file;
  return nowOf(api, file, known);
}

function nowOf(api: ApiDocument, file: DocumentFile, known?: string): ReturnType<typeof readNow> {
  if (file.digest === known) return { content: file.digest, catalogue: null };
  const read = documentValue(file);
  if ("problem" in read) return read;
  try {
    return { content: file.digest, catalogue: catalogueOf(api, read.value) };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

/** Reads a document, at its address through an egress proxy of its own. Throws `usage` for a name that the settings have not, `bad-configuration` for a document that cannot be used. */
export async function lookAtDocument(records: Records, context: WorkspaceContext, name: string): Promise<SeenDocument> {
  const found = namedDocuments(records).find(({ api }) => api.name === name);
  if (found === undefined)
    throw new AgentError("usage", `The settings name no OpenAPI document ${JSON.stringify(name)}.`, {
      remedy: "See docs/guides/openapi.md, and: warder openapi list",
    });
  const { file = "", url } = found.api;
  const there = url === undefined ? null : await fetchDocument(url, records);
  const read = there === null ? readNow(found.api, context) : "problem" in there ? there : nowOf(found.api, there);
  if ("problem" in read) throw new AgentError("bad-configuration", `The OpenAPI document ${name} (${url ?? file}) cannot be used: ${read.problem}.`);
  const catalogue = read.catalogue ?? { tools: [], refused: [] };
  return { ...found, content: read.content, catalogue, changes: found.pin === null ? [] : changesOf(found.pin.tools, catalogue.tools) };
}

/** Keeps what a person confirmed. Recorded before it counts. */
export function confirmDocument({ store, audit }: Records, { api, content, catalogue }: SeenDocument, by: string): void {
  const { directory } = store.paths;
  const digest = apiDigest(api);
  const tools = catalogue.tools.map((tool) => ({ name: tool.name, digest: toolDigest(tool) }));
  appendAudit(audit, { run: null, payload: { kind: "openapi-trusted", document: api.name, digest, content, tools, by } });
  store.exclusively(() => {
    writePin(directory, { server: api.name, digest, tools: catalogue.tools, content, by, confirmedAt: new Date(systemClock.nowMs()).toISOString() });
  });
}
