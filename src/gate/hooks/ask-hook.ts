import { z } from "zod";
import { faultText } from "../../base/fault-text.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { DEFAULT_HOOK_TIMEOUT_MS, type Hook, type HookContext } from "./hook.ts";

const MAX_WORDS = 2000;
/** Words of a hook, on one line. */
export const words = z.string().max(MAX_WORDS).transform(makeVisibleLine);
export const blocked = z.strictObject({ block: words });

export const warned = z.strictObject({ warn: words });

export type Answered<T> = { readonly value: T } | { readonly fault: string };

/** A function's answer, or why there is none that counts: it threw, took too long, was cancelled, or said what it cannot say. */
export async function askHook<T>(
  { timeoutMs: limitMs = DEFAULT_HOOK_TIMEOUT_MS }: Hook,
  { schema, signal }: { readonly schema: z.ZodType<T>; readonly signal: AbortSignal },
  ask: (context: HookContext) => unknown,
): Promise<Answered<T>> {
  const over = new AbortController();
  const { promise: fault, resolve: fail } = Promise.withResolvers<{ readonly fault: string }>();
  const timer = setTimeout(() => {
    fail({ fault: `it gave no answer within ${limitMs} ms` });
    over.abort();
  }, limitMs);
  const onAbort = (): void => fail({ fault: "the run was cancelled" });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) return { fault: "the run was cancelled" };
    return await Promise.race([answer(schema, () => ask({ signal: AbortSignal.any([signal, over.signal]) })), fault]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function answer<T>(schema: z.ZodType<T>, ask: () => unknown): Promise<Answered<T>> {
  try {
    const read = schema.safeParse(await ask());
    return read.success ? { value: read.data } : { fault: "what it said is no answer" };
  } catch (error) {
    return { fault: faultText(error) };
  }
}
