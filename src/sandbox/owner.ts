import { isOwnerDead, ownerOf } from "../store/lock/process-owner.ts";

export { ownerOf, pidOf } from "../store/lock/process-owner.ts";

const OWNER = /^[^/]+\/pid:\[\d+\]\/\d+\/\d+$/u;
const NAME = /^(.+)_(\d+)_(\d+)_(\d+)$/u;

/**
 * Whether what an owner left must stay: it lives, or it may, in a pid namespace that cannot be looked into from here. What names no process
 * counts as dead: nobody could end it.
 */
export function isOwnerAlive(owner: string): boolean {
  return OWNER.test(owner) && !isOwnerDead(owner);
}

/** Whether it is, or was, a process of this machine since it started: another one may be another machine's, which cannot be looked into from here. */
export function isOfThisBoot(owner: string): boolean {
  return owner.split("/", 1)[0] === ownerOf(process.pid)?.split("/", 1)[0];
}

/** An owner as a part of a file's name. */
export function ownerName(owner: string): string {
  return owner.replace(/pid:\[(\d+)\]/u, "$1").replaceAll("/", "_");
}

/** The owner of what has this name; an empty text where it is none. */
export function ownerNamed(name: string): string {
  const [, boot, namespace, pid, start] = NAME.exec(name) ?? [];
  return boot === undefined ? "" : `${boot}/pid:[${namespace ?? ""}]/${pid ?? ""}/${start ?? ""}`;
}
