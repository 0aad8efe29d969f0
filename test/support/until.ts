import { type ChildProcess } from "node:child_process";
import type { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** As long as one step may take on a busy machine, and less than a test may take, so that a test says what never came. */
export const PATIENCE_MS = 600_000;

/** Waits for a fact for as long as the test may take, and says what it waited for when `patienceMs` are over. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs);
  while (!(await isSo())) {
    if (patience.aborted) throw new Error(`this never came: ${what}`);
    await pause(20);
  }
}

/** Waits for what comes by itself, and says what it was, and what was seen instead, when `patienceMs` are over. */
export async function within<Value>(what: string, coming: PromiseLike<Value>, seen: () => string = () => "", patienceMs = PATIENCE_MS): Promise<Value> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`this never came: ${what}\n${seen()}`));
  }, patienceMs);
  try {
    return await Promise.race([coming, over]);
  } finally {
    clearTimeout(timer);
  }
}

type Emitter = EventEmitter & { readonly readableEnded?: boolean; readonly destroyed?: boolean };

/**
 * Waits for an event as `once` of node:events does, for as long as a step may take. Fails at once when a stream that data is awaited of has
 * ended; resolves at once when a process whose end is awaited has ended before.
 */
export async function once(emitter: EventEmitter, event: string, seen: () => string = () => ""): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  const onEvent = (...values: unknown[]): void => {
    resolve(values);
  };
  const onEnd = (): void => {
    reject(new Error(`this never came: ${event} of ${nameOf(emitter)}, which ended before`));
  };
  emitter.once(event, onEvent);
  if (event !== "error") emitter.once("error", reject);
  if (event === "data") for (const end of ["end", "close"]) emitter.once(end, onEnd);
  try {
    if (event === "data" && hasEnded(emitter)) onEnd();
    if ((event === "exit" || event === "close") && isGone(emitter, event)) onEvent(emitter.exitCode, emitter.signalCode);
    return await within(`${event} of ${nameOf(emitter)}`, promise, () => `${stateOf(emitter)}\n${seen()}`);
  } finally {
    emitter.off(event, onEvent).off("error", reject).off("end", onEnd).off("close", onEnd);
  }
}

/** The exit code of a process, when it has ended and its streams too; null: a signal ended it. */
export async function exitCodeOf(child: ChildProcess, seen?: () => string): Promise<number | null> {
  return (await once(child, "close", seen))[0] as number | null;
}

function hasEnded(emitter: Emitter): boolean {
  return emitter.readableEnded === true || emitter.destroyed === true;
}

function isGone(emitter: EventEmitter, event: "exit" | "close"): emitter is ChildProcess {
  if (!isProcess(emitter) || (emitter.exitCode === null && emitter.signalCode === null)) return false;
  return event === "exit" || emitter.stdio.every((stream) => stream === null || stream === undefined || stream.closed);
}

function isProcess(emitter: EventEmitter): emitter is ChildProcess {
  return "spawnargs" in emitter;
}

function nameOf(emitter: EventEmitter): string {
  return isProcess(emitter) ? emitter.spawnargs.join(" ").slice(0, 500) : emitter.constructor.name;
}

function stateOf(emitter: EventEmitter): string {
  if (isProcess(emitter)) return `process ${String(emitter.pid)}: exit code ${String(emitter.exitCode)}, signal ${String(emitter.signalCode)}`;
  return hasEnded(emitter) ? "it has ended" : "it is still open";
}
