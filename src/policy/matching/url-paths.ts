import { aligns } from "./wildcard-match.ts";
import { matchesGlob, parseGlob } from "./glob.ts";

/**
 * The path of a request in the one form that every server reads the same way, without its query; null where two servers could read
 * two paths. Refused: `.` and `..`, empty components, an escaped `/` or `\`, `;` and `\`, escapes of escapes, control characters, what is no
 * UTF-8, and characters that some servers fold into one of these. Escapes that are not needed are undone, so that `%61` is `a`.
 */
export function canonicalPath(path: string): string | null {
  if (!path.startsWith("/") || path.includes("?") || path.includes("#")) return null;
  const components = path.slice(1).split("/");
  const canonical: string[] = [];
  for (const [index, component] of components.entries()) {
    const read = canonicalComponent(component);
    // A path may end with a slash, and be nothing but one.
    if (read === null || (read === "" && index < components.length - 1)) return null;
    canonical.push(read);
  }
  return `/${canonical.join("/")}`;
}

/**
 * Every path that a server may read in a request's: one, or two where a `/` is escaped, which is a part of a name for some servers (npm's
 * registry: `/@scope%2Fname`) and a separator for others. The first is the one to send. Null as for {@link canonicalPath}, for any of them.
 */
export function readingsOf(path: string): readonly [string, ...string[]] | null {
  const separated = path.startsWith("/") ? canonicalPath(path.replaceAll(/%2f/giu, "/")) : null;
  if (separated === null) return null;
  const separators = path.match(/\/|%2f/giu) ?? [];
  if (separators.every((separator) => separator === "/")) return [separated];
  const components = separated.slice(1).split("/");
  return [components.map((component, index) => (separators[index] === "/" ? "/" : "%2F") + component).join(""), separated];
}

// RFC 3986: what a component may hold unescaped, without `;`, which some servers cut off with what follows (path parameters).
const PLAIN = /^[A-Za-z0-9._~!$&'()*+,=:@-]*$/u;
const UNSAFE = /[\u0000-\u001f\u007f/\\;%]/u;

function canonicalComponent(component: string): string | null {
  let text: string;
  try {
    text = decodeURIComponent(component);
  } catch (error) {
    // A `%` without two digits, or bytes that are no UTF-8 (an overlong `/` among them).
    if (error instanceof URIError) return null;
    throw error;
  }
  if (UNSAFE.test(text) || !PLAIN.test(component.replaceAll(/%[0-9A-Fa-f]{2}/gu, ""))) return null;
  // What a server makes of look-alikes (`／`, `．`) must not be a separator either, and what is left where it cuts blanks off (`..%20`) no way up.
  const folded = text.normalize("NFKC");
  if (UNSAFE.test(folded) || (text !== "" && /^\.{0,2}$/u.test(folded.trim()))) return null;
  return [...text].map((character) => (PLAIN.test(character) ? character : escaped(character))).join("");
}

function escaped(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Why a text is no pattern of paths; null when it is one: canonical, `*` within a component, `**` as whole components. */
export function pathPatternFault(pattern: string): string | null {
  if (canonicalPath(pattern) !== pattern)
    return "it is no path of a request in its plain form: it begins with `/` and has no `..`, `//`, `;`, query or needless escape";
  if (pattern.split("/").some((component) => component.includes("**") && component !== "**")) return "`**` stands for whole components: `/a/**`";
  return null;
}

/** Whether a canonical path is one of the pattern's. `/a/**` is `/a` too. Case matters: a server that ignores it is asked for less. */
export function pathMatches(pattern: string, path: string): boolean {
  return matchesComponents(pattern.slice(1).split("/"), path.slice(1).split("/"), matchesComponent);
}

/** Whether every path of the narrower pattern is one of the wider. May say no where it is so, never yes where it is not. */
export function pathPatternCovers(wider: string, narrower: string): boolean {
  return matchesComponents(wider.slice(1).split("/"), narrower.slice(1).split("/"), (pattern, other) =>
    other === "**" ? false : pattern === other || pattern === "*" || (!other.includes("*") && matchesComponent(pattern, other)),
  );
}

function matchesComponent(pattern: string, component: string): boolean {
  if (component === "" || !pattern.includes("*")) return pattern === component;
  // Only the star: what else a glob reads are plain characters in a URL.
  return matchesGlob(parseGlob(pattern.replaceAll(/[^*A-Za-z0-9]/gu, "\\$&")), component);
}

function matchesComponents(pattern: readonly string[], components: readonly string[], takes: (pattern: string, component: string) => boolean): boolean {
  return aligns(pattern, components, { isStar: (part) => part === "**", takes });
}
