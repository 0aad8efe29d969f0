import { makeVisibleLine } from "../base/text.ts";
import { type Catalogue, readCatalogue } from "../mcp/catalogue.ts";
import { MAX_TOOLS } from "../mcp/server.ts";
import { matchesGlob, parseGlob } from "../policy/matching/glob.ts";
import { isPublicName } from "../policy/matching/hosts.ts";
import { readUrl } from "../tools/contract/web-command.ts";
import type { ApiDocument } from "./api.ts";
import { METHODS, type Binding } from "./binding.ts";
import { documentIn, followed, isJson, own, Refusal, type Json } from "./document.ts";
import { bodyFrom, parametersFrom, type Arguments } from "./arguments.ts";
import { isUsableTemplate } from "./request.ts";

const MAX_DESCRIPTION = 4_000;
const MAX_TYPE = 100;
/** Longer ones are none that is used; expressions over a megabyte of them would take hours. */
const MAX_ID = 200;
const MAX_URL = 2_000;

/** An operation as a document lists it. */
type Listed = { readonly method: Binding["method"]; readonly path: string; readonly operation: Json; readonly item: Json };

/**
 * The tools that the chosen operations of a document make. What they are asked, by which method and where, stands in their annotations, so that it is confirmed
 * with them. Total on any value; a {@link Refusal} says why nothing of it can be used.
 */
export function catalogueOf(api: ApiDocument, value: unknown): Catalogue {
  const root = documentIn(value);
  const { chosen, absent } = chosenFrom(listed(root), api);
  if (chosen.length > MAX_TOOLS)
    throw new Refusal(
      `${String(chosen.length)} of its operations are chosen, and at most ${String(MAX_TOOLS)} can be: name fewer by operations, tags or paths`,
    );
  const base = baseOf(root, api);
  const refused: { name: string; reason: string }[] = absent.map((name) => ({ name, reason: "the document has no such operation" }));
  const tools = chosen.flatMap((each) => {
    try {
      return [toolOf(root, each, base)];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ name: nameOf(each), reason: error.message });
      return [];
    }
  });
  const read = readCatalogue(api.name, tools);
  return { tools: read.tools, refused: [...refused.map(shown), ...read.refused] };
}

const shown = ({ name, reason }: { readonly name: string; readonly reason: string }) => ({ name: makeVisibleLine(name.slice(0, 100)), reason });

const KEYS = METHODS.map((method) => [method, method.toLowerCase()] as const);
const placeOf = ({ method, path }: Listed): string => `${method} ${path}`;

function listed(root: Json): readonly Listed[] {
  return Object.entries(own(root, "paths") as Json).flatMap(([path, each]) => {
    if (!isJson(each) || !path.startsWith("/")) return [];
    const item = itemAt(root, each);
    return KEYS.flatMap(([method, key]): readonly Listed[] => {
      const operation = own(item, key);
      return isJson(operation) ? [{ method, path, operation, item }] : [];
    });
  });
}

/** A path that refers elsewhere has no operations. */
function itemAt(root: Json, item: Json): Json {
  try {
    return followed(root, item).value;
  } catch (error) {
    if (error instanceof Refusal) return {};
    throw error;
  }
}

/** Characters that identifiers have and tools have not become `_`; whatever is none of ASCII stays, and is refused for it. */
function nameOf({ operation, method, path }: Listed): string {
  const id = own(operation, "operationId");
  const text = typeof id === "string" && id !== "" ? id : `${method.toLowerCase()}${path === "/" ? "_root" : path}`;
  return text
    .slice(0, MAX_ID)
    .replaceAll(/[ ./:,(){}$*+~@]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "");
}

function chosenFrom(
  all: readonly Listed[],
  { operations, tags, paths }: ApiDocument,
): { readonly chosen: readonly Listed[]; readonly absent: readonly string[] } {
  const globs = paths.map(parseGlob);
  const names = new Set(operations);
  const idOf = ({ operation }: Listed): unknown => own(operation, "operationId");
  const isNamed = (each: Listed): boolean => names.has(placeOf(each)) || (typeof idOf(each) === "string" && names.has(idOf(each) as string));
  const isTagged = ({ operation }: Listed): boolean => {
    const stated = own(operation, "tags");
    return Array.isArray(stated) && stated.some((tag: unknown) => typeof tag === "string" && tags.includes(tag));
  };
  const isAll = operations.length + tags.length + paths.length === 0;
  if (isAll) return { chosen: all, absent: [] };
  const chosen = all.filter((each) => isNamed(each) || isTagged(each) || globs.some((glob) => matchesGlob(glob, each.path)));
  const found = new Set<unknown>(chosen.flatMap((each) => [placeOf(each), idOf(each)]));
  return { chosen, absent: operations.filter((name) => !found.has(name)) };
}

/** Where requests go, without a slash at its end. An address of this machine or of a private network stands in a person's settings, never in a document. */
function baseOf(root: Json, { server }: ApiDocument): string {
  const stated = server ?? firstServer(root);
  if (stated === null) throw new Refusal("it names no server: add `server: https://…` to the settings");
  const read = readUrl(stated);
  const url = "url" in read ? new URL(read.url) : null;
  if (url === null || stated.includes("{") || url.search !== "" || url.hash !== "")
    throw new Refusal("its server is no plain http or https address: add `server: https://…` to the settings");
  if (server === undefined && !isPublicName(url.hostname))
    throw new Refusal(`its server ${url.host} is no public name: if you want it, add \`server: ${url.origin}\` to the settings`);
  return withoutSlash(url.href);
}

function firstServer(holder: Json): string | null {
  const servers = own(holder, "servers");
  const url = Array.isArray(servers) ? own(servers[0], "url") : undefined;
  if (typeof url === "string" && url.length > MAX_URL) throw new Refusal("its server has an address that is too long");
  return typeof url === "string" ? url : null;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/u, "");

/** Whether an operation names the document's server, which the settings may have replaced. `//host` is that host over TLS. */
function isOwnServer(url: string, root: Json, base: string): boolean {
  if (withoutSlash(url) === base) return true;
  const stated = firstServer(root);
  const whole = (each: string): string => withoutSlash(each.startsWith("//") ? `https:${each}` : each);
  return stated !== null && whole(url) === whole(stated);
}

function toolOf(root: Json, chosen: Listed, base: string) {
  const { method, path, operation, item } = chosen;
  const other = firstServer(operation) ?? firstServer(item);
  if (other !== null && !isOwnServer(other, root, base)) throw new Refusal("it names a server of its own");
  if (path.length > MAX_URL) throw new Refusal("its path is too long");
  const url = `${base}${path}`;
  if (!isUsableTemplate(url)) throw new Refusal("its path is none that every server reads as it is written");
  const body = bodyFrom(root, operation, method);
  const parameters = parametersFrom(root, { item, operation, path, hasBody: body !== null });
  const all: Arguments = { shapes: { ...parameters.shapes, ...body?.shapes }, required: [...parameters.required, ...(body?.required ?? [])] };
  const binding: Binding = { method, url, accept: acceptOf(root, operation), parameters: [...parameters.bindings], body: body?.binding ?? null };
  return {
    name: nameOf(chosen),
    description: descriptionOf(operation),
    inputSchema: { type: "object", properties: all.shapes, ...(all.required.length === 0 ? {} : { required: all.required }), additionalProperties: false },
    annotations: binding,
  };
}

function descriptionOf(operation: Json): string {
  const [summary, description] = [own(operation, "summary"), own(operation, "description")];
  return [summary, description]
    .filter((each): each is string => typeof each === "string" && each.trim() !== "")
    .join(". ")
    .slice(0, MAX_DESCRIPTION);
}

/** JSON where it is what the operation answers with; null: whatever it likes. */
function acceptOf(root: Json, operation: Json): string | null {
  const responses = own(operation, "responses");
  if (!isJson(responses)) return null;
  const types = Object.entries(responses).flatMap(([status, each]) => {
    if (!/^2|^default$/u.test(status) || !isJson(each)) return [];
    const content = own(itemAt(root, each), "content");
    return isJson(content) ? Object.keys(content) : [];
  });
  return types.find((type) => type.length <= MAX_TYPE && /^application\/(?:[\w.+-]+\+)?json$/u.test(type)) ?? null;
}
