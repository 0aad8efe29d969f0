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

/** Whether an entry of `network: allow` is one: a host name or address, or one whose first labels are `*`. */
export function isHostPattern(pattern: string): boolean {
  const named = pattern.replace(/^(?:\*\.)+/u, "");
  return named === named.toLowerCase() && named.includes(".") && canonicalHost(named) === named;
}

/** `*` stands for exactly one whole label: `*.example.org` is `a.example.org`, neither `example.org` nor `a.b.example.org`. */
export function hostMatches(pattern: string, host: string): boolean {
  const canonical = canonicalHost(host);
  if (canonical === null) return false;
  if (!pattern.startsWith("*.")) return pattern === canonical;
  const wanted = pattern.split(".");
  const labels = canonical.split(".");
  return (
    !canonical.includes(":") &&
    wanted.length === labels.length &&
    wanted.every((label, index) => label === "*" || matchesGlob(parseGlob(label), labels[index] ?? ""))
  );
}

/** Whether everything that the narrower pattern names is named by the wider one. */
export function hostPatternCovers(wider: string, narrower: string): boolean {
  const wide = wider.split(".");
  const narrow = narrower.split(".");
  if (wide.length !== narrow.length) return false;
  return wide.every((label, index) => label === "*" || label === narrow[index]);
}
