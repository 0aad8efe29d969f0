import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { AgentError } from "../../../base/errors.ts";
import { checkCall, checkCommand, refuseQuestion, type CheckParts } from "../../../gate/check.ts";
import type { CheckVerdict } from "../../../gate/check-verdict.ts";
import { EXIT } from "../../process/exit-code.ts";
import { argumentsOf } from "../../../foreign/dialect.ts";
import { type ForeignQuestion, foreignVerdict, readForeignCall, readForeignEvent } from "./foreign-line.ts";
import { isLost, LOST } from "./utf8.ts";
import { visibleJson } from "../../../base/text.ts";

type Question = { readonly id: unknown } & (
  | { readonly kind: "command"; readonly command: string; readonly unread: readonly string[] }
  | { readonly kind: "call"; readonly name: string; readonly input: unknown; readonly unread: readonly string[] }
  | (ForeignQuestion & { readonly unread?: readonly string[] })
);

/**
 * `warder check --jsonl`: answers each line of standard input with a line, in order. An invalid line is answered with `deny` and an `error`, so answers
 * stay in step with lines and nothing unasked is allowed. Empty lines are skipped. Other agents' calls and events are judged as `warder hook` would. Keys that decide nothing are named in `unread`. Returns 0 if every
 * line was valid, else 2. Throws `usage` for a directory, where Node.js reports no more than the end of the input.
 */
export async function checkLines(parts: CheckParts): Promise<number> {
  if (fstatSync(process.stdin.fd).isDirectory()) throw new AgentError("usage", "Standard input is a directory: --jsonl reads lines of JSON.");
  let number = 0;
  let exitCode: number = EXIT.done;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === "") continue;
    const question = readQuestion(parts, line, number);
    const { id } = question;
    if (question.kind === "none") exitCode = EXIT.usage;
    const answer =
      question.kind === "none"
        ? { id, error: question.error }
        : { id, ...(question.unread !== undefined && question.unread.length > 0 && { unread: question.unread }) };
    if (!process.stdout.write(`${visibleJson({ ...answer, ...(await verdictOn(parts, question)) })}\n`)) await once(process.stdout, "drain");
  }
  return exitCode;
}

async function verdictOn(parts: CheckParts, question: Question): Promise<CheckVerdict> {
  if (question.kind === "none") return refuseQuestion(parts, question.error);
  if (question.kind === "foreign") return await foreignVerdict(parts, question);
  return question.kind === "command" ? await checkCommand(parts, question.command) : await checkCall(parts, question);
}

function readQuestion(parts: CheckParts, line: string, number: number): Question {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "none", id: null, error: `Line ${number} of standard input is no JSON.` };
  }
  const record = argumentsOf(value) ?? {};
  const { id = null, command, tool, input } = record;
  if (isLost(line)) return { kind: "none", id, error: `Line ${number} of standard input ${LOST}.` };
  const event = readForeignEvent(record, parts, `Line ${number} of standard input`);
  if (event !== null) return { id: id ?? record["tool_use_id"] ?? null, ...event };
  if (typeof command === "string" && tool === undefined) return { id, kind: "command", command, unread: unreadKeys(record, COMMAND_KEYS) };
  if (typeof tool === "string" && command === undefined) {
    const foreign = readForeignCall(tool, argumentsOf(input) ?? {}, parts);
    return { id, ...(foreign ?? { kind: "call", name: tool, input: input ?? {} }), unread: unreadKeys(record, CALL_KEYS) };
  }
  return { kind: "none", id, error: `Line ${number} of standard input is neither {"id","command"} nor {"id","tool","input"}.` };
}

const COMMAND_KEYS: readonly string[] = ["id", "command"];
const CALL_KEYS: readonly string[] = ["id", "tool", "input"];
const MAX_NAMED_KEYS = 8;
const MAX_KEY_CHARACTERS = 100;

/** Lists of commands carry labels and notes, so a key more is no fault; but who meant `cwd` or `policy` sees that nothing read it. */
function unreadKeys(record: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  const keys = Object.keys(record).filter((key) => !known.includes(key));
  return keys.slice(0, MAX_NAMED_KEYS).map((key) => key.slice(0, MAX_KEY_CHARACTERS).toWellFormed());
}
