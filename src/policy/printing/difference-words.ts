import type { ChangedPart, Group, Outcome, Witness } from "../comparing/difference.ts";
import type { Wanted } from "../comparing/wanted.ts";

/** What each group is called. */
export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  allowed: "More is allowed",
  unasked: "No longer asked",
  "may-widen": "May widen",
  limits: "Limits",
  sandbox: "Sandbox",
  people: "People and hooks",
  asked: "More is asked",
  refused: "More is refused",
};

export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  same: "decides the same",
  "only-tightens": "only tightens",
  widens: "widens",
  "may-widen": "may widen",
};

/** `allow "a" → allow "a **"`, `added: …`, `removed: …`. */
export function partText({ what, was, is }: ChangedPart): string {
  if (was === null && is === null) return what;
  if (was === null) return `${what}: added, ${is ?? ""}`;
  return is === null ? `${what}: removed, was ${was}` : `${what}: ${was} → ${is}`;
}

export function wantedText(wanted: Wanted): string {
  switch (wanted.kind) {
    case "command":
      return wanted.text;
    case "read":
    case "write":
      return `${wanted.kind}s ${wanted.path}`;
    case "connect":
      return `connects to ${wanted.host}:${String(wanted.port)}`;
    case "invoke":
    case "tool":
      return `calls the tool ${wanted.tool}`;
    case "remember":
      return "keeps something in memory";
    case "message":
      return "sends a message to the person";
    case "schedule":
      return "schedules a job";
  }
}

/** Empty: in a run at `now`, before the model was given anything. */
export function circumstanceText({ containment, seen, nowMs, isOfHours, isPublic, isUnmeasured, uses }: Witness["circumstances"], now: number): string {
  return [
    ...(containment === "none" ? ["outside the sandbox, as `warder hook` decides"] : []),
    ...(seen.length === 0 ? [] : [`once the model was given what is ${seen.join(" and ")}`]),
    ...Object.entries(uses ?? {}).map(([rule, count]) => `once the rule ${rule} was used ${count === 1 ? "once" : `${String(count)} times`}`),
    ...(isPublic === true ? ["where the file holds nothing but public parts"] : []),
    ...(isUnmeasured === true ? ["where the path cannot be measured"] : []),
    ...(isOfHours === true ? [`at ${new Date(nowMs).toISOString().slice(0, 16).replace("T", " ")} UTC`] : []),
    ...(nowMs > now && isOfHours === undefined ? [`from ${new Date(nowMs).toISOString().slice(0, 10)} on`] : []),
  ].join(", ");
}
