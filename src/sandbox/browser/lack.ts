import { hasNetwork } from "../../policy/matching/network-entries.ts";
import type { SessionPlan } from "../parts.ts";

/** Why a session has no browser, in a sentence; null: it has. */
export function lackOfBrowser({ openInImage, options, profile }: SessionPlan): string | null {
  if (openInImage === undefined) return "A browser needs Docker Engine or Podman on this machine, and this run's sandbox is elsewhere or without an engine.";
  if (options.browserImage === undefined) return "Nobody prepared its image on this machine: a person types `warder image add browser --browser`.";
  return hasNetwork(profile.settings.network) ? null : "The policy gives this run no network.";
}
