/** A row of a benchmark's answer. */
export type Row = { readonly p50Ms: number; readonly p95Ms: number; readonly n: number };

export function rowOf(times: readonly number[]): Row {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50Ms: rounded(at(0.5)), p95Ms: rounded(at(0.95)), n: sorted.length };
}

/** Six digits behind the point: nanoseconds. */
function rounded(milliseconds: number): number {
  return Number(milliseconds.toFixed(6));
}

/** How long `work` takes, in milliseconds. */
export function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
