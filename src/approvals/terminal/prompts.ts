import type { Approvals } from "../approvals.ts";
import type { ApprovalAnswer } from "../card.ts";
import { checkCode, type TypedCode } from "../one-time-code.ts";
import type { TerminalDevice } from "./device.ts";
import { readLine } from "./read-line.ts";

const MAX_CODE_TRIES = 3;

/** A trimmed line, or the answer when there will be none. */
export async function ask(device: TerminalDevice, prompt: string, signal: AbortSignal): Promise<string | ApprovalAnswer> {
  device.write(prompt);
  const line = await readLine(device, signal);
  if (line.kind === "line") return line.text.trim();
  if (line.kind === "interrupted") return interrupted(device);
  device.write("\n(no longer needed)\n");
  return GONE;
}

export const GONE = { kind: "nobody", reason: "the terminal closed, or the question was answered elsewhere" } as const;

/** Raw mode swallowed the interrupt: it is handed on, as Ctrl-C means the whole run. */
export function interrupted(device: TerminalDevice): ApprovalAnswer & { readonly kind: "nobody" } {
  device.write("\n");
  process.kill(process.pid, "SIGINT");
  return { kind: "nobody", reason: "interrupted at the prompt" };
}

/** A code that is right, not used up yet; or that there was none. */
export async function askCode(
  device: TerminalDevice,
  approvals: Approvals,
  people: readonly string[],
  signal: AbortSignal,
): Promise<TypedCode | (ApprovalAnswer & { readonly kind: "nobody" })> {
  for (let round = 0; round < MAX_CODE_TRIES; round += 1) {
    const person = people.length === 1 ? people[0] : await ask(device, `Who are you (${people.join(", ")})? `, signal);
    if (typeof person !== "string") break;
    const code = await ask(device, "One-time code: ", signal);
    if (typeof code !== "string") break;
    const verdict = checkCode(approvals, { person, code });
    if (verdict.kind === "right") return { person, code };
    device.write(`Not taken: ${verdict.reason}.\n`);
  }
  return { kind: "nobody", reason: "no right one-time code was typed" };
}
