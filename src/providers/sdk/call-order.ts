import type { ModelEvent } from "../contract/provider.ts";

type Call = Extract<ModelEvent, { kind: "tool-call" }>;

export type CallOrder = {
  begin(id: string): void;
  /** The calls that are told now. */
  end(call: Call): readonly Call[];
  /** What was held back for a call that never became whole. */
  rest(): readonly Call[];
};

/** Tells calls in the order in which they began, whichever becomes whole first. */
export function createCallOrder(): CallOrder {
  const places = new Map<string, number>();
  // In the order of their beginning, as a set keeps it.
  const open = new Set<string>();
  let held: Call[] = [];
  const placeOf = (id: string): number => {
    const place = places.get(id) ?? places.size;
    places.set(id, place);
    return place;
  };
  const oldest = (): number => {
    const [id] = open;
    return id === undefined ? Number.POSITIVE_INFINITY : placeOf(id);
  };
  const release = (before: number): readonly Call[] => {
    const told = held.filter(({ callId }) => placeOf(callId) < before).toSorted((one, other) => placeOf(one.callId) - placeOf(other.callId));
    held = held.filter(({ callId }) => placeOf(callId) >= before);
    return told;
  };
  return {
    begin: (id) => {
      placeOf(id);
      open.add(id);
    },
    end: (call) => {
      const wasOldest = placeOf(call.callId) <= oldest();
      open.delete(call.callId);
      held.push(call);
      return wasOldest ? release(oldest()) : [];
    },
    rest: () => release(Number.POSITIVE_INFINITY),
  };
}
