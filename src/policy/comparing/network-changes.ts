import type { SourcePosition } from "../decision.ts";
import { hostMatches, hostPatternCovers } from "../matching/hosts.ts";
import { credentialCovers, entryCovers } from "../matching/network-entries.ts";
import type { Credential, HostEntry, NetworkSettings } from "../network.ts";
import type { Policy } from "../policy.ts";
import type { Change } from "./change.ts";
import type { ChangedPart } from "./difference.ts";
import type { Wanted } from "./wanted.ts";

/** What differs in the hosts that are open. */
export function hostChanges(before: Policy, after: Policy): readonly Change[] {
  const at = after.positions?.get("sandbox.network") ?? before.positions?.get("sandbox.network");
  const [older, newer] = [entriesOf(before.sandbox.network), entriesOf(after.sandbox.network)];
  const [oldPorts, newPorts] = [older.flatMap(portsOf), newer.flatMap(portsOf)];
  return [
    ...newer.flatMap((entry) => entryChange(entry, { isGone: false, at, others: oldPorts })),
    ...older.flatMap((entry) => entryChange(entry, { isGone: true, at, others: newPorts })),
  ];
}

function entriesOf({ allow, refined = [] }: NetworkSettings): readonly HostEntry[] {
  return allow.flatMap((host) => {
    const own = refined.filter((entry) => entry.host === host);
    return own.length > 0 ? own : [{ host, methods: null, paths: null }];
  });
}

/** Each entry with one port: an entry without any opens two. */
function portsOf(entry: HostEntry): readonly HostEntry[] {
  return /:[0-9]+$/u.test(entry.host) ? [entry] : [443, 80].map((port) => ({ ...entry, host: `${entry.host}:${String(port)}` }));
}

function entryChange(
  entry: HostEntry,
  { isGone, at, others }: { isGone: boolean; at: SourcePosition | undefined; others: readonly HostEntry[] },
): readonly Change[] {
  const closed = portsOf(entry).filter((one) => !others.some((other) => entryCovers(other, one)));
  if (closed.length === 0) return [];
  const hosts = closed.flatMap(({ host }) => hostsOf(host));
  const isHostOpen = closed.every((one) => others.some(({ host }) => hostPatternCovers(host, one.host)));
  const change: Change = {
    part: { what: `host ${entryText(entry)}`, was: isGone ? "open" : null, is: isGone ? null : "open", ...(at === undefined ? {} : { at }) },
    // The host's own loopback is another one than the sandbox's, which no entry is needed for.
    mayLoosen: !isGone || hosts.some(({ host }) => host.startsWith("127.")),
    mayTighten: true,
    candidates: hosts.flatMap(usesOf),
    isCauseOf: (one, two) =>
      [one, two].some(({ unit, rule }) => HOST_RULES.has(rule.id) || hosts.some(({ host }) => unit.subject.includes(host)) || unit.kind === "connects"),
    ...(isHostOpen ? { limit: "the egress proxy holds requests to methods and paths, which no call shows" } : {}),
  };
  return [change];
}

const HOST_RULES: ReadonlySet<string> = new Set(["no-network", "host-not-allowed"]);

function entryText({ host, methods, paths }: HostEntry): string {
  return `${host}${methods === null ? "" : ` ${methods.join(",")}`}${paths === null ? "" : ` ${paths.join(",")}`}`;
}

const CANDIDATE_LABEL = "a";

/** A host that the entry names, and its port. */
function hostsOf(entry: string): readonly { readonly host: string; readonly port: number }[] {
  const [pattern = "", digits = "443"] = entry.split(":");
  const host = pattern === "*" ? "a.example" : pattern.replaceAll("*", CANDIDATE_LABEL);
  return hostMatches(entry, host, Number(digits)) ? [{ host, port: Number(digits) }] : [];
}

function usesOf({ host, port }: { readonly host: string; readonly port: number }): readonly Wanted[] {
  const address = port === 80 ? `http://${host}` : port === 443 ? `https://${host}` : `https://${host}:${String(port)}`;
  return [
    { kind: "connect", host, port },
    ...[`curl ${address}`, `curl -d a ${address}`, "git fetch", `curl ${host}:1`].map((text): Wanted => ({ kind: "command", text })),
  ];
}

/** What differs in the network beyond hosts, as settings: what the proxy adds, limits and resolves. */
export function networkSettingChanges(
  before: Policy,
  after: Policy,
): readonly { readonly part: ChangedPart; readonly direction: "widens" | "tightens" | "may-widen" }[] {
  const [one, other] = [before.sandbox.network, after.sandbox.network];
  const at = after.positions?.get("sandbox.network.credentials") ?? before.positions?.get("sandbox.network.credentials");
  const found: { part: ChangedPart; direction: "widens" | "tightens" | "may-widen" }[] = [];
  const compare = (what: string, [was, is]: readonly [string | null, string | null], direction: "widens" | "tightens" | "may-widen"): void => {
    found.push({ part: { what, was, is, ...(at === undefined ? {} : { at }) }, direction });
  };
  for (const credential of other.credentials ?? [])
    if (!isGiven(credential, one.credentials ?? [])) compare(`credential ${credential.id}`, [null, credentialText(credential)], "widens");
  for (const credential of one.credentials ?? [])
    if (!isGiven(credential, other.credentials ?? []))
      // Without it, requests that it refused may be open.
      compare(`credential ${credential.id}`, [credentialText(credential), null], credential.otherwise === "refuse" ? "may-widen" : "tightens");
  for (const { name, credentials } of other.registries ?? []) {
    const known = one.registries?.find((use) => use.name === name);
    if (known === undefined) compare(`registry ${name}`, ["closed", "open"], "widens");
    else if (credentials !== known.credentials)
      compare(`registry ${name}: credentials`, [String(known.credentials), String(credentials)], credentials ? "widens" : "tightens");
  }
  for (const { name } of one.registries ?? [])
    if (other.registries?.some((use) => use.name === name) !== true) compare(`registry ${name}`, ["open", "closed"], "tightens");
  const names = new Set([...Object.keys(one.names ?? {}), ...Object.keys(other.names ?? {})]);
  for (const name of names) {
    const [was, is] = [one.names?.[name] ?? null, other.names?.[name] ?? null];
    if (was !== is) compare(`address of ${name}`, [was, is], "may-widen");
  }
  return found;
}

function isGiven(credential: Credential, by: readonly Credential[]): boolean {
  return by.some((other) => credentialCovers(other, credential));
}

function credentialText({ host, port, methods, otherwise }: Credential): string {
  return `${host}:${String(port)} ${methods.join(",")}, otherwise ${otherwise}`;
}
