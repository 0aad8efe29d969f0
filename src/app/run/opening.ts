import { makeVisibleLine } from "../../base/text.ts";
import type { NetworkSettings } from "../../policy/network.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Session } from "../../sandbox/runtime.ts";
import { WAYS } from "../../sandbox/workspace/ways.ts";

/** What a run starts with. */
export type SandboxOpening = {
  readonly policy: Pick<Policy, "name" | "digest">;
  readonly session: Pick<Session, "runtime" | "mount" | "profile" | "probed">;
  /** What a person should know of the session, a sentence or two each. */
  readonly notes: readonly string[];
};

/** In one line: the policy in force, what holds the run, and how much of that was looked at from inside. A line for each note follows. */
export function openingText({ policy, session, notes }: SandboxOpening): string {
  const { network, engineRuntime } = session.profile.settings;
  const held = session.probed.filter(({ isMet }) => isMet === true).length;
  const unseen = session.probed.length - held;
  const parts = [
    `policy ${makeVisibleLine(policy.name)} (sha256:${policy.digest.slice(0, 12)}…)`,
    engineRuntime === undefined ? session.runtime : `${session.runtime} with ${engineRuntime}`,
    WAYS[session.mount].name,
    networkText(network),
  ];
  const told = unseen === 0 ? "" : `, ${String(unseen)} cannot be seen from inside`;
  return `${parts.join(", ")}; boundary probed: ${String(held)} of ${String(session.probed.length)} hold${told}${notes.map((note) => `\nwarder: ${note}`).join("")}`;
}

function networkText({ allow, registries = [] }: NetworkSettings): string {
  if (allow.length > 0) return `network through the proxy (hosts listed: ${String(allow.length)})`;
  return registries.length === 0 ? "no network" : `no network but packages of ${registries.map(({ name }) => name).join(", ")}`;
}
