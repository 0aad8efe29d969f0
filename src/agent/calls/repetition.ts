const WINDOW = 20;
const LONGEST_CYCLE = 4;
const WARN_AT = 3;
const STOP_AT = 5;

export type RepetitionVerdict =
  | { readonly kind: "fine" }
  | { readonly kind: "warn"; readonly times: number }
  | { readonly kind: "stop"; readonly times: number };

/**
 * Notices a model that goes in circles: the same call with the same outcome again and again, or the same cycle of up
 * to four such calls (A, B, A, B…). A call whose outcome changes, or that has other work between, is no circle.
 * Returns a function that takes one finished call and says how often its cycle has now been gone through.
 */
export function createRepetitionWatch(): (call: string, outcome: string) => RepetitionVerdict {
  const recent: string[] = [];
  return (call, outcome) => {
    recent.push(JSON.stringify([call, outcome]));
    if (recent.length > WINDOW) recent.shift();
    let times = 1;
    for (let period = 1; period <= LONGEST_CYCLE; period += 1) times = Math.max(times, countCycles(recent, period));
    if (times >= STOP_AT) return { kind: "stop", times };
    return times >= WARN_AT ? { kind: "warn", times } : { kind: "fine" };
  };
}

/** How many times the last `period` entries stand in a row at the end. */
function countCycles(entries: readonly string[], period: number): number {
  let matched = 0;
  for (let index = entries.length - 1; index - period >= 0 && entries[index] === entries[index - period]; index -= 1) matched += 1;
  return Math.floor(matched / period) + 1;
}
