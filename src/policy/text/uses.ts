import { durationMs, durationText } from "./quantity.ts";

/** How often something may be used: by one run (`perMs` null), or in any time of `perMs`. */
export type Uses = { readonly times: number; readonly perMs: number | null };

const MOST = 1_000_000;

/** Reads `3 per run` and `10 per 1h`; null: it is neither. */
export function readUses(text: string): Uses | null {
  const [, count, per = ""] = /^([1-9][0-9]{0,6}) per ([a-z0-9]+)$/u.exec(text) ?? [];
  const times = Number(count);
  if (count === undefined || times > MOST) return null;
  if (per === "run") return { times, perMs: null };
  const perMs = durationMs(per);
  return perMs === null ? null : { times, perMs };
}

export function usesText({ times, perMs }: Uses): string {
  return `${String(times)} per ${perMs === null ? "run" : durationText(perMs)}`;
}
