import { mustFollow } from "../../agent/calls/schedule.ts";
import type { CallEnd, CallPlan } from "../../gate/gate.ts";

/** A call of a script on its way. */
export type Flight = {
  readonly call: number;
  readonly digest: string;
  readonly plan: CallPlan | null;
  readonly perform: () => Promise<CallEnd>;
};

export type Landed = { readonly flight: Flight; readonly end: CallEnd };

/** How many calls of a script run at once. */
export const MOST_AT_ONCE = 8;

/** Of those that wait: what is behind them waits for one of them. */
const LOOKED_AT = 32;

/** The calls of a script: begun in their order, beside each other as far as the calls of a turn may be. */
export type Flights = {
  add(flight: Flight): void;
  /** The next that ended; null: none is on its way, and none can begin. Throws what a call threw. */
  next(): Promise<Landed | null>;
  /** Waits for what was begun, and gives it. `isEach`: begins what waits first, until one of it waits for a person; else it begins no more. */
  settle(isEach: boolean): Promise<{ readonly landed: readonly Landed[]; readonly notBegun: number }>;
};

type Ended = Landed | { readonly flight: Flight; readonly error: unknown };

const isParked = (made: Ended): boolean => "end" in made && made.end.kind === "parked";

export function createFlights(): Flights {
  const waiting: Flight[] = [];
  const going = new Map<Flight, Promise<Ended>>();
  const ended: Ended[] = [];
  const begin = (): void => {
    for (let index = 0; index < Math.min(waiting.length, LOOKED_AT) && going.size < MOST_AT_ONCE;) {
      const flight = waiting[index] as Flight;
      const before = [...going.keys(), ...waiting.slice(0, index)];
      if (before.some((other) => mustFollow(flight.plan, other.plan))) index += 1;
      else {
        waiting.splice(index, 1);
        going.set(flight, start(flight));
      }
    }
  };
  const start = async (flight: Flight): Promise<Ended> => {
    const made: Ended = await flight.perform().then(
      (end) => ({ flight, end }),
      (error: unknown) => ({ flight, error }),
    );
    going.delete(flight);
    ended.push(made);
    return made;
  };
  const landedOf = (made: Ended): Landed => {
    if ("error" in made) throw made.error;
    return made;
  };
  return {
    add: (flight) => void waiting.push(flight),
    next: async () => {
      begin();
      if (ended.length === 0 && going.size > 0) await Promise.race(going.values());
      const made = ended.shift();
      return made === undefined ? null : landedOf(made);
    },
    settle: async (isEach) => {
      if (isEach) for (begin(); going.size > 0 && !ended.some(isParked); begin()) await Promise.race(going.values());
      const notBegun = waiting.splice(0).length;
      await Promise.all(going.values());
      return { landed: ended.splice(0).map(landedOf), notBegun };
    },
  };
}
