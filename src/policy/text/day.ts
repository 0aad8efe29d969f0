const DAY_MS = 86_400_000;

/** `2027-01-31` → the first millisecond after that day, in UTC. Null for what is no day of the calendar. */
export function endOfDayMs(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return null;
  const startMs = Date.parse(`${text}T00:00:00Z`);
  // The parser takes the 30th of February for the 2nd of March.
  return Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== text ? null : startMs + DAY_MS;
}

/** Whether a day is over. What is no day, or no moment, is: nothing is open for longer than somebody said. */
export function isOver(day: string, nowMs: number): boolean {
  return !(nowMs < (endOfDayMs(day) ?? 0));
}

/** `2027-01-31` → the last millisecond of that day, and `2027-01-31T22:30:00Z` → that moment. Null for what is neither. */
export function momentMs(text: string): number | null {
  const day = endOfDayMs(text.slice(0, 10));
  if (day === null) return null;
  if (text.length === 10) return day - 1;
  return /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/u.test(text.slice(10)) ? Date.parse(text) : null;
}
