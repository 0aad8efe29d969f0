/** `bwrap` with a command's own namespaces, without rights, network or terminal; /proc, /dev and /tmp are its own, and it changes nothing of `root`. */
export function isolated(root: readonly string[]): readonly string[] {
  const namespaces = ["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--new-session"];
  return ["bwrap", ...namespaces, ...root, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
}

/** The programs of this machine, and nothing else of it. */
export const OWN_PROGRAMS = ["--ro-bind", "/usr", "/usr", ...["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`])];
