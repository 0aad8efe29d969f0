import type { SourcePosition, UnitDecision } from "../decision.ts";
import { hostMatches, hostPatternCovers } from "../matching/hosts.ts";
import { credentialCovers, entryCovers } from "../matching/network-entries.ts";
import type { Credential, HostEntry, NetworkSettings } from "../network.ts";
import type { Policy } from "../policy.ts";
import { type Budget, SPENT } from "./budget.ts";
import type { Change } from "./change.ts";
import type { ChangedPart, Direction } from "./difference.ts";
import type { Wanted } from "./wanted.ts";

/** What differs in the hosts that are open. */
export function hostChanges(before: Policy, after: Policy, budget: Budget): readonly Change[] {
  const at = after.positions?.get("sandbox.network") ?? before.positions?.get("sandbox.network");
  const [older, newer] = [entriesOf(before.sandbox.network), entriesOf(after.sandbox.network)];
  const [oldPorts, newPorts] = [older.flatMap(portsOf), newer.flatMap(portsOf)];
  // The same entry on both sides covers itself.
  const [known, knows] = [new Set(older.map(entryKey)), new Set(newer.map(entryKey))];
  const changed = [
    ...newer.filter((entry) => !known.has(entryKey(entry))).map((entry) => ({ entry, isGone: false, others: oldPorts })),
    ...older.filter((entry) => !knows.has(entryKey(entry))).map((entry) => ({ entry, isGone: true, others: newPorts })),
  ];
  const changes = changed.flatMap(({ entry, isGone, others }) =>
    budget.take(COVER_STEPS * (others.length + 1) + scopeSteps(entry, others)) ? entryChange(entry, { isGone, at, others }) : [],
  );
  if (changed.length === 0 || !budget.isSpent) return changes;
  const part = {
    what: "sandbox.network.allow",
    was: `${String(older.length)} hosts`,
    is: `${String(newer.length)} hosts`,
    ...(at === undefined ? {} : { at }),
  };
  return [...changes, { part, mayLoosen: true, mayTighten: true, candidates: [], isCauseOf: isOfHosts, limit: SPENT }];
}

/** What it is to compare one entry with both ports of another one. */
const COVER_STEPS = 240;
/** What it is to compare one path, or method, with another one. */
const SCOPE_STEPS = 10;

function scopeSteps(entry: Scope, others: readonly Scope[]): number {
  const size = ({ methods, paths }: Scope): number => (methods?.length ?? 0) + (paths?.length ?? 0);
  return SCOPE_STEPS * size(entry) * others.reduce((sum, other) => sum + size(other), 0);
}

function entryKey(entry: HostEntry): string {
  return JSON.stringify(entry);
}

function isOfHosts(one: UnitDecision, other: UnitDecision): boolean {
  return [one, other].some(({ unit, rule }) => HOST_RULES.has(rule.id) || unit.kind === "connects");
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
    isCauseOf: (one, two) => isOfHosts(one, two) || [one, two].some(({ unit }) => hosts.some(({ host }) => unit.subject.includes(host))),
    ...(isHostOpen ? { limit: "the egress proxy holds requests to methods and paths, which no call shows" } : {}),
  };
  return [change];
}

type Scope = Pick<HostEntry, "methods" | "paths">;

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
  budget: Budget,
): readonly { readonly part: ChangedPart; readonly direction: Direction; readonly why?: string }[] {
  const [one, other] = [before.sandbox.network, after.sandbox.network];
  const at = after.positions?.get("sandbox.network.credentials") ?? before.positions?.get("sandbox.network.credentials");
  const found: { part: ChangedPart; direction: Direction; why?: string }[] = [];
  const compare = (what: string, [was, is]: readonly [string | null, string | null], direction: Direction): void => {
    found.push({ part: { what, was, is, ...(at === undefined ? {} : { at }) }, direction });
  };
  const credentials = [...(one.credentials ?? []), ...(other.credentials ?? [])];
  for (const id of new Set(credentials.map((credential) => credential.id))) {
    const own = credentials.filter((credential) => credential.id === id);
    if (own.every((credential) => budget.take(credentials.length + scopeSteps(credential, own)))) continue;
    return [{ part: { what: "sandbox.network.credentials", was: null, is: null, ...(at === undefined ? {} : { at }) }, direction: "may-widen", why: SPENT }];
  }
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
