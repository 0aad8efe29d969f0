import { z } from "zod";
import { deferAudit } from "../../audit/log/log.ts";
import { redactFor } from "../../audit/entries/redact.ts";
import { storedBeginning } from "../../audit/entries/stored-value.ts";
import { digestOf } from "../../base/digest.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { ToolCall, ToolResult } from "../../tools/contract/tool.ts";
import { decodeInput } from "../../tools/decode.ts";
import type { CallEnd, CallOptions, GateEvent, Refusal, Ruling } from "../gate.ts";
import type { GateState } from "../gate-state.ts";
import type { DecodedCall } from "../ruling/decode-call.ts";
import { errorResult } from "../ruling/denial-text.ts";
import { askHook, blocked, warned } from "./ask-hook.ts";
import type { Hook, HookedCall } from "./hook.ts";

/** Arguments are plain data, and stay what was judged: what a hook keeps of its own could change. */
const asJson = (rewrite: Readonly<Record<string, unknown>>): unknown => JSON.parse(JSON.stringify(rewrite));

const beforeVerdict = z.union([z.undefined(), blocked, z.strictObject({ rewrite: z.record(z.string(), z.unknown()).transform(asJson) })]);
const askVerdict = z.union([z.undefined(), blocked]);
const afterVerdict = z.union([
  z.undefined(),
  warned,
  z.strictObject({ text: z.string().optional(), isError: z.literal(true).optional(), terminate: z.boolean().optional() }),
]);

/** One call, and who watches it. */
export type Consulted = { readonly gate: GateState; readonly call: HookedCall; readonly options: CallOptions };

type Did = Extract<GateEvent, { readonly kind: "hook" }>["did"];

/**
 * A call with its hooks: `carry` gets it as they leave it, or how they ended it. What it tells whoever watches passes the hooks in order, and has been told
 * when it ends.
 */
export async function hookedCall(
  gate: GateState,
  { call, decoded, options }: { readonly call: ToolCall; readonly decoded: DecodedCall; readonly options: CallOptions },
  carry: (about: Consulted, hooked: Awaited<ReturnType<typeof beforeTool>>) => Promise<CallEnd>,
): Promise<CallEnd> {
  let about: Consulted = { gate, call: { runId: gate.parts.runId, callId: call.id, tool: decoded.tool.name, input: decoded.input }, options };
  let told: Promise<unknown> = Promise.resolve();
  if (gate.hooks.at("beforeUpdate", decoded.tool.name).length > 0) {
    const unwatched = about;
    const emit: CallOptions["emit"] = (event) => {
      told = told.then(async () => (!UPDATES.has(event.kind) || (await beforeUpdate(unwatched, event)) ? await options.emit(event) : undefined));
      return told;
    };
    about = { ...about, options: { ...options, emit } };
  }
  try {
    const hooked = await beforeTool(about, decoded);
    return await carry(hooked.kind === "decoded" ? { ...about, call: { ...about.call, input: hooked.input } } : about, hooked);
  } finally {
    await told;
  }
}

const UPDATES: ReadonlySet<GateEvent["kind"]> = new Set(["tool-output", "tool-progress", "tool-update"]);

/** Before policy: the call as the hooks leave it, or how they ended it. Each hook sees what the one before it made of the arguments. */
async function beforeTool(about: Consulted, decoded: DecodedCall): Promise<DecodedCall | { readonly kind: "blocked"; readonly end: CallEnd }> {
  const { signal } = about.options;
  let { input } = decoded;
  for (const hook of about.gate.hooks.at("beforeTool", decoded.tool.name)) {
    const call = { ...about.call, input };
    const said = await askHook(hook, { schema: beforeVerdict, signal }, (context) => hook.beforeTool(call, context));
    if ("fault" in said) return { kind: "blocked", end: block(about, hook, "failed", said.fault) };
    const verdict = said.value;
    if (verdict === undefined) continue;
    if ("block" in verdict) return { kind: "blocked", end: block(about, hook, "blocked", verdict.block) };
    const read = hook.mayRewrite === true ? decodeInput(decoded.tool, verdict.rewrite) : null;
    if (read?.kind !== "valid")
      return { kind: "blocked", end: block(about, hook, "failed", read === null ? "it may not change arguments, and tried to" : read.message) };
    input = read.input;
    record(about, hook, "rewrote", "");
  }
  return { ...decoded, input };
}

/** Before a person is asked: why they are not. */
export async function beforeAsk(about: Consulted, ruling: Ruling): Promise<CallEnd | null> {
  const { signal } = about.options;
  for (const hook of about.gate.hooks.at("beforeAsk", about.call.tool)) {
    const said = await askHook(hook, { schema: askVerdict, signal }, (context) => hook.beforeAsk({ ...about.call }, structuredClone(ruling), context));
    if ("fault" in said) return { ...block(about, hook, "failed", said.fault), ruling };
    if (said.value !== undefined) return { ...block(about, hook, "blocked", said.value.block), ruling };
  }
  return null;
}

/** What the model gets to see. Where a hook fails, it is nothing of what the call gave. */
export async function afterTool(about: Consulted, result: ToolResult, ended: { readonly outcome: string; readonly isRefusal: boolean }): Promise<ToolResult> {
  const { signal } = about.options;
  let shown = result;
  for (const hook of about.gate.hooks.at("afterTool", about.call.tool)) {
    const said = await askHook(hook, { schema: afterVerdict, signal }, (context) =>
      hook.afterTool({ ...about.call }, structuredClone({ ...shown, outcome: ended.outcome }), context),
    );
    if ("fault" in said) {
      record(about, hook, "failed", said.fault);
      if (!ended.isRefusal) shown = errorResult(`Withheld: the hook ${hook.name}, which looks at results, failed. What the call did, it did.`);
      continue;
    }
    if (said.value === undefined) continue;
    if ("warn" in said.value) {
      record(about, hook, "warned", said.value.warn);
      continue;
    }
    const { text, isError, terminate } = said.value;
    record(about, hook, "changed", "");
    shown = {
      ...shown,
      // Words of a program around Warder are not Warder's own.
      ...(text === undefined ? {} : { content: [{ kind: "text", text }], label: "untrusted" as const }),
      isError: shown.isError || isError === true,
      ...(terminate === undefined || (terminate && (ended.isRefusal || shown.isError)) ? {} : { terminate }),
    };
  }
  return shown;
}

/** Whether whoever watches is to see an event of the call. */
async function beforeUpdate(about: Consulted, event: GateEvent): Promise<boolean> {
  const { signal } = about.options;
  for (const hook of about.gate.hooks.at("beforeUpdate", about.call.tool)) {
    const said = await askHook(hook, { schema: z.boolean(), signal }, (context) => hook.beforeUpdate({ ...about.call }, structuredClone(event), context));
    if ("fault" in said || !said.value) return false;
  }
  return true;
}

function block(about: Consulted, hook: Hook, did: Did, reason: string): CallEnd {
  record(about, hook, did, reason);
  const why = did === "failed" ? `the hook failed, so the call did not run (${makeVisibleLine(reason)})` : reason;
  const rule = `hook-${hook.name}`;
  const refusal: Refusal = { rule, reasons: [digestOf([rule, about.call.tool])] };
  return { kind: "denied", result: errorResult(`Denied by hook ${hook.name}: ${why}`, { rule }), ruling: null, refusal };
}

function record({ gate, call, options }: Consulted, { name }: Hook, did: Did, detail: string): void {
  const { audit, runId } = gate.parts;
  const said = storedBeginning(detail, redactFor(audit));
  deferAudit(audit, runId, () => ({ kind: "hook", call: call.callId, tool: call.tool, hook: name, did, detail: said }));
  options.emit({ kind: "hook", callId: call.callId, hook: name, did, detail: said });
}
