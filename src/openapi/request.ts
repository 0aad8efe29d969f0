import { readingsOf } from "../policy/matching/url-paths.ts";
import type { WebRequest } from "../sandbox/egress/client/web-request.ts";
import { HEADER_VALUE, HEADER_VALUE_WORDS } from "../tools/contract/input-schemas.ts";
import { REQUEST_MS } from "../tools/web/answer.ts";
import { lengthFault, MAX_ANSWER_BYTES, requestFault } from "../tools/web/plain-request.ts";
import type { Binding, Parameter } from "./binding.ts";
import { bodyOf } from "./body.ts";
import { own, Refusal, type Json } from "./document.ts";
import { cookieText, headerText, pairsOf, pathText } from "./styles.ts";

/** The argument that is the body. */
export const BODY = "body";

/** The request that a call's arguments make; or what is wrong with them, in words for a model. */
export function requestOf(binding: Binding, input: Json): { readonly request: WebRequest } | { readonly fault: string } {
  const made = writtenOut(binding, input);
  if ("fault" in made) return made;
  const url = addressOf(binding.url, made);
  if (url === null) return { fault: "a value of the path would lead to another address than the operation's" };
  const { type, text } = made.body;
  const headers = [
    ...(binding.accept === null ? [] : [{ name: "accept", value: binding.accept }]),
    ...(type === null ? [] : [{ name: "content-type", value: type }]),
    ...made.headers,
  ];
  const wrong = headers.find(({ value }) => !HEADER_VALUE.test(value));
  if (wrong !== undefined) return { fault: `the header ${wrong.name} ${HEADER_VALUE_WORDS}` };
  const plain: WebRequest = { method: binding.method, url, headers, body: text, redirects: 0, maxBytes: MAX_ANSWER_BYTES, timeoutMs: REQUEST_MS };
  // No call names the header `cookie`: here it holds what parameters are, and none that a session could be.
  const cookie = made.cookies.join("; ");
  const request = cookie === "" ? plain : { ...plain, headers: [...headers, { name: "cookie", value: cookie }] };
  const fault = requestFault(plain) ?? lengthFault(request);
  return fault === null ? { request } : { fault };
}

type Written = {
  readonly path: ReadonlyMap<string, string>;
  readonly query: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly cookies: readonly string[];
  readonly body: { readonly type: string | null; readonly text: string | null };
};

function writtenOut({ parameters, body }: Binding, input: Json): Written | { readonly fault: string } {
  const path = new Map<string, string>();
  const [query, headers, cookies]: [string[], { name: string; value: string }[], string[]] = [[], [], []];
  let argument = BODY;
  try {
    for (const parameter of parameters) {
      ({ argument } = parameter);
      const value = own(input, argument);
      if (value !== undefined) put(parameter, value, { path, query, headers, cookies });
    }
    argument = BODY;
    const value = body === null ? undefined : own(input, BODY);
    const sent = body === null || value === undefined ? { type: null, text: null } : bodyOf(body, value);
    return { path, query, headers, cookies, body: sent };
  } catch (error) {
    if (error instanceof Refusal) return { fault: `${argument}: ${error.message}` };
    throw error;
  }
}

type Lists = {
  readonly path: Map<string, string>;
  readonly query: string[];
  readonly headers: { name: string; value: string }[];
  readonly cookies: string[];
};

function put(parameter: Parameter, value: unknown, { path, query, headers, cookies }: Lists): void {
  switch (parameter.in) {
    case "path":
      path.set(parameter.name, pathText(parameter, value));
      return;
    case "query":
      query.push(...pairsOf(parameter, value));
      return;
    case "header":
      headers.push({ name: parameter.name, value: headerText(parameter, value) });
      return;
    case "cookie":
      cookies.push(cookieText(parameter, value));
  }
}

/** Null: it would be another host, or a path that is not read by every server as it is written here. */
function addressOf(template: string, { path, query }: Pick<Written, "path" | "query">): string | null {
  const base = URL.parse(template.slice(0, pathStart(template)));
  const text = template.slice(pathStart(template)).replaceAll(/\{([^{}]*)\}/gu, (all, name: string) => path.get(name) ?? all);
  const url = base === null ? null : URL.parse(`${base.origin}${text}${query.length === 0 ? "" : `?${query.join("&")}`}`);
  if (base === null || url === null || url.origin !== base.origin || url.pathname !== text || readingsOf(text) === null) return null;
  return url.href;
}

function pathStart(template: string): number {
  const at = template.indexOf("/", template.indexOf("://") + 3);
  return at === -1 ? template.length : at;
}

/** Whether requests to a template of an address can be made at all: with plain words in it. */
export function isUsableTemplate(template: string): boolean {
  const names = [...template.matchAll(/\{([^{}]*)\}/gu)].map(([, name = ""]) => [name, "x"] as const);
  return addressOf(template, { path: new Map(names), query: [] }) !== null;
}
