import { makeVisibleLine } from "../../base/text.ts";
import { onWait } from "../../store/lock/waiting.ts";

/** Shorter waits are of no interest to anybody. */
const SILENT_MS = 3_000;
const AGAIN_MS = 15_000;

/** Says on standard error what this process waits for: after some seconds, and then now and again until it ends. */
export function announceWaits(): void {
  let saidAtMs: number | null = null;
  onWait(({ what, waitedMs, before, firstPid }) => {
    // A wait that is shorter than what was said last is another one.
    if (saidAtMs !== null && waitedMs < saidAtMs) saidAtMs = null;
    if (waitedMs < (saidAtMs === null ? SILENT_MS : saidAtMs + AGAIN_MS)) return;
    saidAtMs = waitedMs;
    const others = firstPid === null ? "another process keeps it locked" : `${before} others come first, the first of them process ${firstPid}`;
    process.stderr.write(`warder: has waited ${Math.round(waitedMs / 1000)} s ${makeVisibleLine(what)}: ${others}\n`);
  });
}
