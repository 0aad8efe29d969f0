// Loaded before everything else: what comes after it asks an older Node.js for exports that it does not have, and fails with a message about those.
const WANTED_MAJOR = 24;

/** Null when `version` (as in `process.versions.node`) is new enough; else what to tell a person. */
export function nodeFault(version: string): string | null {
  const major = Number(version.split(".")[0]);
  return major >= WANTED_MAJOR ? null : `Warder needs Node.js ${WANTED_MAJOR} or newer, this is ${version}.`;
}
