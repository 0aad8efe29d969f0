import { fetchedBy } from "../../shell/effects/read-program.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/**
 * Why a yes would come to nothing: a command that fetches packages where its sandbox reaches none of them. Null: no reason is known. What may do without
 * (`npm ci` from a cache) is told as likely.
 */
export function whyPointless({ judgement, gate }: RuledCall): string | null {
  const { network } = gate.parts.session.profile.settings;
  if (network.allow.length > 0) return null;
  const open = (network.registries ?? []).map(({ name }) => name);
  const reach = open.length === 0 ? "this sandbox has no network" : `this sandbox reads packages of ${open.join(", ")} alone`;
  for (const request of judgement.call.requests) {
    for (const simple of request.kind === "command" ? request.analysis.simples : []) {
      const found = fetchedBy(simple);
      if (found === null || open.some((name) => name === found.source)) continue;
      const remedy = found.source === "elsewhere" ? "sandbox.network.allow" : `sandbox.network.registries: [${found.source}]`;
      return `${reach}, and \`${found.words}\` fetches ${open.length === 0 ? "packages" : "others"}. That is opened in the policy: ${remedy}`;
    }
  }
  return null;
}
