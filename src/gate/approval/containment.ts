import type { UnitKind } from "../../policy/decision.ts";
import { isContained } from "../../policy/deciding/sealed-profile.ts";
import type { NetworkSettings } from "../../policy/network.ts";
import { keepsChanges } from "../../sandbox/runtime.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** What ends with the sandbox where nothing leaves it. */
const GONE_WITH_THE_SANDBOX: ReadonlySet<UnitKind> = new Set(["processes", "privilege", "system", "command", "call", "reads"]);
/** What can be thrown away where the workspace keeps its changes apart. */
const KEPT_APART: ReadonlySet<UnitKind> = new Set(["writes", "deletes", "history", "persists", "runs-code", "unknown", "undecidable"]);

/** More are in the policy. */
const MAX_HOSTS = 3;

/** What holds a call, whatever it does: a few words each. */
export function containmentOf({ gate }: RuledCall): readonly string[] {
  const { profile } = gate.parts.session;
  const { settings, roots } = profile;
  const names = Object.keys(profile.env);
  const [main, ...others] = roots;
  const outside = others.filter(({ access }) => access === "read-write");
  return [
    networkOf(settings.network),
    names.length === 0 ? "no variables are passed" : `it is given ${names.join(", ")}`,
    main?.access !== "read-write" || settings.workspace === "none"
      ? "the workspace cannot be changed"
      : keepsChanges(profile)
        ? "changes wait for your review"
        : "changes land in the workspace at once",
    ...outside.map(({ path }) => `it may write below ${path}`),
  ];
}

function networkOf({ allow, registries = [] }: NetworkSettings): string {
  const packages = registries.length === 0 ? null : `packages of ${registries.map(({ name }) => name).join(", ")}`;
  if (allow.length === 0) return packages === null ? "no network" : `no network but ${packages}`;
  if (allow.includes("*")) return "network: any public host";
  const hosts = `${allow.slice(0, MAX_HOSTS).join(", ")}${allow.length > MAX_HOSTS ? ` and ${allow.length - MAX_HOSTS} more hosts` : ""}`;
  return `network: ${packages === null ? hosts : `${hosts} and ${packages}`} alone`;
}

/**
 * Whether a yes wants more than a key: something of high risk is asked about that leaves the sandbox, or cannot be undone. What a model is shown of
 * a secret has left.
 */
export function wantsWord({ ruling, gate }: RuledCall): boolean {
  const { decision } = ruling;
  if (decision.risk !== "high") return false;
  const asked = decision.units.filter(({ verdict, risk }) => verdict === "ask" && risk === "high");
  if (asked.length === 0 || !isContained(gate.parts.policy)) return true;
  const isUndone = keepsChanges(gate.parts.session.profile);
  return !asked.every(({ unit: { kind } }) => GONE_WITH_THE_SANDBOX.has(kind) || (isUndone && KEPT_APART.has(kind)));
}
