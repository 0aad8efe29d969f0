/** Manifests of packages, whose scripts and dependencies run when somebody installs, builds or starts the package. */
const MANIFESTS = new Set(
  "package.json package.json5 package.yaml composer.json bower.json deno.json deno.jsonc jsr.json project.json angular.json workspace.json".split(" "),
);

/** What only describes. Every other part is taken for one that steers a tool. */
const DESCRIBING = new Set(
  "$schema name version description keywords homepage bugs license licenses author authors contributors maintainers funding repository private support time".split(
    " ",
  ),
);

/** Of a name in lower case. */
export function isManifest(name: string): boolean {
  return MANIFESTS.has(name);
}

/** A reason is for a person to read. */
const MAX_NAMED = 20;
const MAX_NAMES_CHARACTERS = 400;

/**
 * Which parts of a package's manifest changed that steer a tool, as a reason; null when none did or the file is no such manifest. What
 * cannot be compared counts as changed. `name` in lower case; `before` is null where nothing was.
 */
export function changedScripts(name: string, before: string | null, after: string | null): string | null {
  if (!isManifest(name)) return null;
  const [old, now] = [parse(before ?? "{}"), parse(after ?? "")];
  if (old === null || now === null) return "A package tool runs or installs what it says.";
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  const changed = [...keys].filter((key) => !DESCRIBING.has(key) && !isSame(old[key], now[key]));
  if (changed.length === 0) return null;
  const more = changed.length > MAX_NAMED ? `, and ${String(changed.length - MAX_NAMED)} more` : "";
  return `A package tool runs or installs what it says; changed: ${changed.slice(0, MAX_NAMED).join(", ").slice(0, MAX_NAMES_CHARACTERS)}${more}.`;
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch (error) {
    // Nested deeper than there is room for.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
