import type { Redact } from "../../audit/entries/redact.ts";
import type { Emit, GateEvent } from "../gate.ts";

/** Updates that wait for a slow listener; of more the oldest are dropped. */
const MAX_WAITING = 256;
const MAX_CHARACTERS = 4000;
const MAX_UPDATE_CHARACTERS = 64 * 1024;

/** What a call tells whoever watches it. Nothing of it reaches the model. */
export type Updates = {
  readonly progress: (text: string) => void;
  readonly update: (value: unknown) => void;
  /** Ends it: what comes later is ignored, and what still waits is dropped. Gives how many were dropped in all. */
  readonly close: () => number;
};

/** Passes on what a tool says of itself, in order, one at a time where the listener returns a promise. */
export function createUpdates(callId: string, emit: Emit, redact: Redact): Updates {
  const waiting: GateEvent[] = [];
  let isOver = false;
  let isPassing = false;
  let dropped = 0;
  const pass = async (): Promise<void> => {
    isPassing = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const taken = emit(next);
      if (taken instanceof Promise) await taken;
    }
    isPassing = false;
  };
  const add = (event: GateEvent | null): void => {
    if (isOver) return;
    if (event === null) {
      dropped += 1;
      return;
    }
    waiting.push(event);
    if (waiting.length > MAX_WAITING) {
      waiting.shift();
      dropped += 1;
    }
    if (!isPassing) void pass();
  };
  return {
    progress: (text: unknown) => (typeof text === "string" ? add({ kind: "tool-progress", callId, text: redact(text.slice(0, MAX_CHARACTERS)) }) : undefined),
    update: (value) => add(updateOf(callId, value, redact)),
    close: () => {
      isOver = true;
      dropped += waiting.splice(0).length;
      return dropped;
    },
  };
}

/** Null for what has no JSON form, or too long a one. */
function updateOf(callId: string, value: unknown, redact: Redact): GateEvent | null {
  try {
    const text = JSON.stringify(value);
    if (text === undefined || text.length > MAX_UPDATE_CHARACTERS) return null;
    const clean = redact(text);
    return { kind: "tool-update", callId, value: clean === text ? JSON.parse(text) : clean };
  } catch (error) {
    // A value that refers to itself, or a number that JSON lacks: nobody is told of it, and the call goes on.
    if (error instanceof TypeError) return null;
    throw error;
  }
}
