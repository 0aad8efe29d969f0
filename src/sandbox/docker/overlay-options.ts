import { AgentError } from "../../base/errors.ts";
import type { OverlayMount } from "../mounts.ts";

/** The kernel takes one page of options and cuts what is longer, which would name other directories. */
const MAX_OPTION_BYTES = 4095;

// userxattr: marks are kept in attributes of `user`, which who reviews the changes can read and a command inside cannot write (the kernel escapes
// or refuses them there). With it redirects and metacopy are off. What the guardian switches off (sandbox/host/mounts.c) is off here, too.
const SETTINGS = ["userxattr", "metacopy=off", "index=off", "xino=off", "nosuid", "nodev"];

// Podman gives a volume to the first container's user, who is root there, unless the options name an owner. It hands all of them to mount(8), which takes what
// begins with X- for somebody else's, up to the closing quote, where the kernel would refuse an option `uid`.
const KEEP_OWNER = 'X-warder=",uid=0,gid=0,"';

/**
 * The mount options of an overlay, as the local driver of Docker or of Podman takes them. Throws `sandbox-unavailable` for paths that cannot be said in them.
 */
export function overlayOptions({ lowers, upper, work }: Pick<OverlayMount, "lowers" | "upper" | "work">, isPodman: boolean): string {
  const settings = isPodman ? [...SETTINGS, KEEP_OWNER] : SETTINGS;
  const options = [`lowerdir=${lowers.map(escaped).join(":")}`, `upperdir=${escaped(upper)}`, `workdir=${escaped(work)}`, ...settings].join(",");
  if (Buffer.byteLength(options) > MAX_OPTION_BYTES)
    throw new AgentError("sandbox-unavailable", "The workspace's path and that of Warder's state are too long for the options of a mount.", {
      remedy: "Use a shorter path, for example with WARDER_HOME.",
    });
  return options;
}

/**
 * The kernel takes a backslash away and the character behind it as it is. Docker splits at every comma, whatever stands before it, and takes what is a
 * flag of mount(8) out: the character behind a comma is escaped as well, so that no part of a path is one. To mount(8), which Podman calls, a quote means
 * that commas separate nothing until the next.
 */
function escaped(path: string): string {
  if (path.includes("\uFFFD"))
    throw new AgentError("sandbox-unavailable", `${path} is not UTF-8, and cannot be named to the engine.`, { remedy: "Rename the directory." });
  return path.replaceAll(/[\\,:"]/gu, "\\$&").replaceAll(/,(?=[^\\])/gu, ",\\");
}
