import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { AgentError } from "../../base/errors.ts";
import { checkCall, checkCommand, refuseQuestion, type CheckParts } from "../../gate/check.ts";
import type { CheckVerdict } from "../../gate/verdict.ts";
import { EXIT } from "../exit-code.ts";
import { isLost, LOST } from "../lost-text.ts";
import { visibleJson } from "../../base/text.ts";

type Question = { readonly id: unknown } & (
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "call"; readonly name: string; readonly input: unknown }
  /** `error`: why it is no question. */
  | { readonly kind: "none"; readonly error: string }
);

/**
 * `warder check --jsonl`: answers each line of standard input with a line, in order, whatever the line is. What is no question is
 * answered with `deny` and an `error`, so that whoever matches answers to lines stays in step and nothing unasked is allowed.
 * Gives 0 when every line was a question, else 2. Empty lines have no answer.
 * Throws `usage` for a directory, of which Node.js says only that it is at its end.
 */
export async function checkLines(parts: CheckParts): Promise<number> {
  if (fstatSync(process.stdin.fd).isDirectory()) throw new AgentError("usage", "Standard input is a directory: --jsonl reads lines of JSON.");
  let number = 0;
  let exitCode: number = EXIT.done;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === "") continue;
    const question = readQuestion(line, number);
    const { id } = question;
    const answer = question.kind === "none" ? { id, error: question.error } : { id };
    if (question.kind === "none") exitCode = EXIT.usage;
    if (!process.stdout.write(`${visibleJson({ ...answer, ...(await verdictOn(parts, question)) })}\n`)) await once(process.stdout, "drain");
  }
  return exitCode;
}

async function verdictOn(parts: CheckParts, question: Question): Promise<CheckVerdict> {
  if (question.kind === "none") return refuseQuestion(parts, question.error);
  return question.kind === "command" ? await checkCommand(parts, question.command) : await checkCall(parts, question);
}

function readQuestion(line: string, number: number): Question {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "none", id: null, error: `Line ${number} of standard input is no JSON.` };
  }
  const record = (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}) as Record<string, unknown>;
  const { id = null, command, tool, input } = record;
  if (isLost(line)) return { kind: "none", id, error: `Line ${number} of standard input ${LOST}.` };
  const known = typeof command === "string" && tool === undefined ? COMMAND_KEYS : typeof tool === "string" && command === undefined ? CALL_KEYS : null;
  if (known === null) return { kind: "none", id, error: `Line ${number} of standard input is neither {"id","command"} nor {"id","tool","input"}.` };
  // A key that nobody reads (`policy`, `cwd`, a slip) would be a question about something else than what is answered.
  const unread = Object.keys(record).filter((key) => !known.includes(key));
  if (unread.length > 0) return { kind: "none", id, error: unreadKeys(number, unread, known) };
  if (typeof command === "string") return { id, kind: "command", command };
  return { id, kind: "call", name: String(tool), input: input ?? {} };
}

const COMMAND_KEYS: readonly string[] = ["id", "command"];
const CALL_KEYS: readonly string[] = ["id", "tool", "input"];
const MAX_NAMED_KEYS = 5;
const MAX_KEY_CHARACTERS = 100;

function unreadKeys(number: number, keys: readonly string[], known: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => JSON.stringify(key.slice(0, MAX_KEY_CHARACTERS).toWellFormed()));
  const rest = keys.length > named.length ? ` and ${keys.length - named.length} more` : "";
  return `Line ${number} of standard input has ${named.join(", ")}${rest}, which nothing reads: a question has no keys but ${known.join(", ")}.`;
}
