import type { IncomingHttpHeaders } from "node:http";
import type { TokenAnswer } from "./token.ts";

/** An answer that is to be judged, or the status that refuses the request; the text is for the one who posts. */
export type AnswerRequest =
  | { readonly kind: "answer"; readonly answer: TokenAnswer }
  | { readonly kind: "refused"; readonly status: number; readonly problem: string };

const KEYS = new Set(["answer", "digest", "scope", "risk", "message", "code"]);
const MAX_MESSAGE_CHARACTERS = 1_000;

/** What is wrong with a request before its body is read, or null. `hosts`: what it may call this machine, in lower case, with the port where it has one. */
export function refusedHead(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  hosts: ReadonlySet<string>,
): { readonly status: number; readonly problem: string } | null {
  // A link preview, a prefetch, a crawler: nothing is shown and nothing changes.
  if (method !== "POST") return { status: 405, problem: "" };
  // A page whose name was pointed at this machine still sends its own name.
  if (!hosts.has((headers.host ?? "").toLowerCase())) return { status: 421, problem: "another host is meant" };
  // No page answers here: what a browser sends for one is refused, whichever it is.
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined || (site !== undefined && site !== "none")) return { status: 403, problem: "no page answers here" };
  // A form of another page cannot send this type without asking first.
  if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/iu.test(headers["content-type"] ?? "")) return { status: 415, problem: "send application/json" };
  return headers["content-encoding"] === undefined ? null : { status: 415, problem: "send it as it is" };
}

/** Reads path, token and body: one JSON object, its fields exactly those that are known. */
export function readAnswer(path: string, authorization: string | undefined, body: string): AnswerRequest {
  const approvalId = /\/approvals\/(?<id>approval-[0-9a-z]{12})$/u.exec(path)?.groups?.["id"];
  const token = /^Bearer (?<token>[A-Za-z0-9_-]{1,100})$/u.exec(authorization ?? "")?.groups?.["token"];
  // Whatever is missing or wrong of them, the answer is the same.
  if (approvalId === undefined || token === undefined) return { kind: "refused", status: 404, problem: "no such question, or this token does not answer it" };
  const fields = fieldsOf(body);
  if (typeof fields === "string") return { kind: "refused", status: 400, problem: fields };
  const { answer, digest, scope = "once", risk, message, code } = fields;
  const bad = (problem: string): AnswerRequest => ({ kind: "refused", status: 400, problem });
  if (answer !== "grant" && answer !== "refuse") return bad('"answer" is "grant" or "refuse"');
  if (digest === undefined || !/^[0-9a-f]{64}$/u.test(digest)) return bad('"digest" is the card\'s "rulingDigest"');
  if (scope !== "once" && scope !== "this-run") return bad('"scope" is "once" or "this-run"');
  if (message !== undefined && message.length > MAX_MESSAGE_CHARACTERS) return bad(`"message" has at most ${MAX_MESSAGE_CHARACTERS} characters`);
  const optional = {
    ...(risk === undefined ? {} : { risk }),
    ...(message === undefined ? {} : { message: message.toWellFormed() }),
    ...(code === undefined ? {} : { code }),
  };
  return { kind: "answer", answer: { approvalId, token, rulingDigest: digest, verdict: answer, scope, ...optional } };
}

/** The fields, all texts, or what is wrong. */
function fieldsOf(body: string): Readonly<Partial<Record<string, string>>> | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return "the body is no JSON";
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "the body is no JSON object";
  for (const [key, entry] of Object.entries(value)) {
    if (!KEYS.has(key)) return "the body has a field that is none";
    if (typeof entry !== "string") return `"${key}" is a text`;
  }
  return value as Readonly<Partial<Record<string, string>>>;
}
