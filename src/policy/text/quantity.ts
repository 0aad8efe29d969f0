const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const BYTES = {
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
} as const;

/** Ten years. Beyond it no window and no age means anything, and a moment so far away has no date. */
const LONGEST_MS = 3650 * DURATION_MS.d;

/** `500ms`, `60s`, `15m`, `1h`, `1d` → milliseconds. Null for anything else, zero and what is longer than 3650 days included. */
export function durationMs(text: string): number | null {
  const match = /^([1-9][0-9]{0,8})(ms|s|m|h|d)$/u.exec(text);
  if (match === null) return null;
  const ms = Number(match[1]) * DURATION_MS[match[2] as keyof typeof DURATION_MS];
  return ms <= LONGEST_MS ? ms : null;
}

/** Milliseconds as a policy writes them, in the largest unit that is exact: `1h`, `90m`. */
export function durationText(ms: number): string {
  const unit = (["d", "h", "m", "s"] as const).find((each) => ms % DURATION_MS[each] === 0) ?? "ms";
  return `${ms / DURATION_MS[unit]}${unit}`;
}

/** `512m`, `1g`, `1MiB`, `2GB` → bytes: a single letter counts in 1024s, as Docker's does. Null for anything else, zero included. */
export function bytes(text: string): number | null {
  const match = /^([1-9][0-9]{0,8})(b|k|kb|kib|m|mb|mib|g|gb|gib)$/iu.exec(text);
  if (match === null) return null;
  return Number(match[1]) * BYTES[(match[2] as string).toLowerCase() as keyof typeof BYTES];
}

/** Bytes as a policy writes them, in the largest unit that is exact: `1g`, `1536m`. */
export function bytesText(count: number): string {
  const unit = (["g", "gb", "m", "mb", "k", "kb"] as const).find((each) => count % BYTES[each] === 0) ?? "b";
  return `${count / BYTES[unit]}${unit}`;
}

/** US dollars as a file writes them, in whole millionths. What is finer is cut off. The decimal digits count, as the number nearest to 1.001 is below it. */
export function microUsd(usd: number): number {
  // No number from a millionth on that a limit can have is written with an exponent; what is smaller comes to nothing.
  const [whole = "0", part = ""] = String(usd < 1e-6 ? 0 : usd).split(".");
  return Number(whole + part.slice(0, 6).padEnd(6, "0"));
}
