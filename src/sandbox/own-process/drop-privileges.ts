export type OwnUser = { readonly uid: number; readonly gid: number };

/** For good. Throws where root stays. */
export function dropPrivileges({ uid, gid }: OwnUser): void {
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getgid?.() !== gid) throw new Error("The process could not give up root.");
}
