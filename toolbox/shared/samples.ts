/** A row of a benchmark's answer. */
export type Row = { readonly p50Ms: number; readonly p95Ms: number; readonly n: number };

export function rowOf(times: readonly number[]): Row {
  return { p50Ms: rounded(percentile(times, 0.5)), p95Ms: rounded(percentile(times, 0.95)), n: times.length };
}

/**
 * What something costs while nothing disturbs it, in milliseconds: of each of `count` things, measured in rounds one after another, the tenth
 * percentile of its rounds; of those the median. Other work on the machine changes it little.
 */
export function undisturbed(times: readonly number[], count: number): number {
  const each = Array.from({ length: count }, (_, index) =>
    percentile(
      times.filter((_time, at) => at % count === index),
      0.1,
    ),
  );
  return percentile(each, 0.5);
}

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Six digits behind the point: nanoseconds. */
function rounded(milliseconds: number): number {
  return Number(milliseconds.toFixed(6));
}

/** How much of the processor's time `work` takes in this thread, in milliseconds: on a busy machine the clock says nothing. */
export function timedOnProcessor(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** How long `work` takes, in milliseconds. */
export function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
