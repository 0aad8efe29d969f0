import type { WorkspaceMount } from "../mounts.ts";

/** How each way of showing a workspace is called, and why it is the one that is taken. A new way has its words here. */
export const WAYS: Readonly<Record<WorkspaceMount, { readonly name: string; readonly why: string }>> = {
  "overlay-by-guardian": {
    name: "transactional overlay by Warder",
    why: "mounted by Warder, which runs as root: a run's changes take 8 GiB at most",
  },
  "overlay-by-engine": {
    name: "transactional overlay by the engine",
    why: "mounted by the engine, because this user is not root: a file takes 2 GiB at most, all changes together are not limited",
  },
  "overlay-in-user-namespace": {
    name: "transactional overlay in a user namespace",
    why: "mounted in a user namespace, because this user is not root and bubblewrap is no engine: a file takes 2 GiB at most, all changes together are not limited",
  },
  "overlay-elsewhere": {
    name: "transactional overlay elsewhere",
    why: "a copy on an engine that has not this machine's files, over which the engine mounts an overlay: what a run wrote comes back when it ends",
  },
  "copy-elsewhere": {
    name: "workspace copied",
    why: "a copy that is only read, on an engine that has not this machine's files",
  },
  bind: { name: "workspace bound", why: "bound, as the policy wants: changes land at once" },
  none: { name: "no workspace", why: "none, as the policy wants" },
};

/** Whether what a run does to a workspace that is shown so is kept apart. */
export function keepsItsChanges(mount: string): boolean {
  return mount.startsWith("overlay-");
}
