import { METERS } from "../policy.ts";
import { durationMs, microUsd } from "../text/quantity.ts";
import type { Path, Reading } from "./reading-context.ts";
import type { LimitsDocument, PolicyDocument } from "./schema.ts";
import type { StatedWindow } from "./statement.ts";

const MINUTE_MS = 60_000;

/** The sliding windows of a file (`limits`), in plain units. One that is written without a list is a list of one. */
export function readWindows(document: PolicyDocument, reading: Reading): readonly StatedWindow[] {
  const { limits } = document;
  if (limits === undefined) return [];
  const about = { by: document.name, reading };
  return [
    ...windowsOf(limits, ["limits"], { ...about, scope: "policy" }),
    ...windowsOf(limits.schedule ?? {}, ["limits", "schedule"], { ...about, scope: "schedule" }),
  ];
}

type About = { readonly by: string; readonly scope: StatedWindow["scope"]; readonly reading: Reading };

function windowsOf(limits: Omit<LimitsDocument, "run" | "schedule">, path: Path, { by, scope, reading }: About): StatedWindow[] {
  return METERS.flatMap((meter) => {
    const written = limits[meter];
    if (written === undefined) return [];
    const isList = Array.isArray(written);
    const entries = isList ? written : [written];
    return entries.map((entry, index) => ({
      meter,
      max: "max-usd" in entry ? microUsd(entry["max-usd"]) : entry.max * (meter === "minutes" ? MINUTE_MS : 1),
      perMs: durationMs(entry.per) ?? 0,
      scope,
      by,
      level: 0,
      at: reading.at(isList ? [...path, meter, index] : [...path, meter]),
    }));
  });
}
