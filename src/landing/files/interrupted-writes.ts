/**
 * As `warder-host apply` and the supervisor's writes name what they have not put in place yet (sandbox/host/apply.c, sandbox/supervisor/files/write.c). One that is
 * killed leaves it.
 */
const TEMPORARY = /^\.warder-[0-9a-f]{16}\.tmp$/;

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Why a path is not applied that an interrupted write left, or null. */
export function temporaryReason(path: string): string | null {
  return isTemporary(path.slice(path.lastIndexOf("/") + 1)) ? "A write that was interrupted left it, and it is not applied." : null;
}
