import { AgentError } from "../../base/errors.ts";

/** A whole number in plain digits, as an option takes it. Throws `usage`, naming the option, for anything else. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,15}$/u.test(text) ? Number(text) : -1;
  if (number < least || number > most) throw new AgentError("usage", `${option} takes a whole number from ${least} to ${most}.`);
  return number;
}
