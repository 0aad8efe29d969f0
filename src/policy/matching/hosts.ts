import { matchesGlob, parseGlob } from "./glob.ts";

/**
 * The canonical form of a host name or address: lower case, without a trailing dot. Null for what is none: empty, with a
 * NUL, space or separator, beyond ASCII (two names may look alike), with an empty or overlong label.
 */
export function canonicalHost(host: string): string | null {
  const lower = host.toLowerCase().replace(/\.$/u, "");
  if (/^\[?[0-9a-f:.]*:[0-9a-f:.]*\]?$/u.test(lower)) return lower.replace(/^\[|\]$/gu, "");
  if (lower.length === 0 || lower.length > 253) return null;
  return lower.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u.test(label)) ? lower : null;
}

/** The ports of an entry that names none: plain HTTP and HTTPS. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);

type HostEntry = { readonly pattern: string; readonly port: number | null };

function readEntry(entry: string): HostEntry | null {
  const [, pattern = "", digits] = /^([^:]+)(?::([1-9][0-9]{0,4}))?$/u.exec(entry) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (pattern === "" || (port !== null && port > 65_535)) return null;
  const named = pattern.replace(/^(?:\*\.)+/u, "");
  const isHost =
    named === named.toLowerCase() &&
    named.includes(".") &&
    canonicalHost(named) === named &&
    (!looksLikeAddress(named) || (named === pattern && isAddress(named)));
  return pattern === "*" || isHost ? { pattern, port } : null;
}

/**
 * Whether an entry of `network: allow` is one: a host name or IPv4 address, or one whose first labels are `*`, or `*` alone for every
 * public name; each with `:PORT` for another port than 80 and 443.
 */
export function isHostPattern(entry: string): boolean {
  return readEntry(entry) !== null;
}

/** Whether a C library would read a canonical host as an IPv4 address, in whatever form: `127.1`, `2130706433`, `0x7f.1`, `0177.0.0.1`. */
export function looksLikeAddress(host: string): boolean {
  return /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/u.test(host);
}

/** An IPv4 address in the one form that every program reads the same way. */
export function isAddress(host: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.|$)){4}$/u.test(host) && !host.endsWith(".");
}

/**
 * Whether a canonical host is a name that only public DNS can answer: two labels or more, none of the names of this machine or a
 * private network, and no address.
 */
export function isPublicName(host: string): boolean {
  const labels = host.split(".");
  return labels.length > 1 && !host.includes(":") && !looksLikeAddress(host) && !PRIVATE_TOP_LEVELS.has(labels.at(-1) ?? "");
}

/**
 * Whether a host as a command's words name it is the loopback of whoever asks, in a form that every program reads so: not `127.1`, `localhost.`,
 * `x.localhost` or `::ffff:127.0.0.1`.
 */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (host.startsWith("127.") && isAddress(host));
}

const PRIVATE_TOP_LEVELS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "localdomain", "home", "lan", "corp", "intranet"]);

/**
 * Whether an entry names the host. `*` stands for exactly one whole label: `*.example.org` is `a.example.org`, neither `example.org` nor
 * `a.b.example.org`; alone it is every public name and no address. A port that is null is not known, and not held against the entry.
 */
export function hostMatches(entry: string, host: string, port: number | null = null): boolean {
  const canonical = canonicalHost(host);
  const read = readEntry(entry);
  if (canonical === null || read === null) return false;
  const { pattern } = read;
  if (port !== null && !(read.port === null ? WEB_PORTS.has(port) : read.port === port)) return false;
  if (pattern === "*") return isPublicName(canonical);
  if (!pattern.startsWith("*.")) return pattern === canonical;
  const wanted = pattern.split(".");
  const labels = canonical.split(".");
  return (
    !canonical.includes(":") &&
    wanted.length === labels.length &&
    wanted.every((label, index) => label === "*" || matchesGlob(parseGlob(label), labels[index] ?? ""))
  );
}

/** Whether everything that the narrower entry names is named by the wider one. */
export function hostPatternCovers(wider: string, narrower: string): boolean {
  const wide = readEntry(wider);
  const narrow = readEntry(narrower);
  if (wide === null || narrow === null) return false;
  const hasPorts = wide.port === narrow.port || (wide.port === null && narrow.port !== null && WEB_PORTS.has(narrow.port));
  if (!hasPorts) return false;
  if (wide.pattern === "*") return narrow.pattern === "*" || isPublicName(narrow.pattern);
  const wideLabels = wide.pattern.split(".");
  const labels = narrow.pattern.split(".");
  if (wideLabels.length !== labels.length) return false;
  return wideLabels.every((label, index) => label === "*" || label === labels[index]);
}
