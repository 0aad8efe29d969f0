import type { SharedV4ProviderOptions } from "@ai-sdk/provider";

/** What a provider signed, and whose it is: a signature is worth nothing to another model, and some servers refuse it. */
type Signed = { readonly madeBy: string; readonly signed?: SharedV4ProviderOptions };

/** What is kept with a part of `model`. */
export function carryOf(model: string, signed: unknown): { readonly carry: Signed } {
  return { carry: signed === undefined ? { madeBy: model } : { madeBy: model, signed: signed as SharedV4ProviderOptions } };
}

/** Whether `model` made the part, and what it signed. A part without a maker, of an older Warder, counts as its own. */
export function readCarry(model: string, carry: unknown): { readonly isOwn: boolean; readonly signed: SharedV4ProviderOptions | undefined } {
  if (typeof carry !== "object" || carry === null) return { isOwn: true, signed: undefined };
  if (!("madeBy" in carry)) return { isOwn: true, signed: carry as SharedV4ProviderOptions };
  const { madeBy, signed } = carry as Signed;
  return madeBy === model ? { isOwn: true, signed } : { isOwn: false, signed: undefined };
}
