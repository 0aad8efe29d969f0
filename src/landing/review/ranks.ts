import type { Change } from "../../sandbox/runtime.ts";

/** Why a person should look at a change before it lands. Kinds are stable: scripts read them. */
export type Flag = { readonly kind: string; readonly reason: string };

export type FlaggedChange = Change & {
  readonly flags: readonly Flag[];
  /** What is no content: mode, owner, ACL and attributes, a line each. */
  readonly notes?: readonly string[];
  /** Of what moves refs: what each of them named and will name, and the files in which the two differ. */
  readonly refs?: readonly RefNote[];
};

export type RefNote = {
  readonly summary: string;
  /** Its new commits by id and subject, the newest first, and those that it no longer holds; not all of many. */ readonly commits: readonly string[];
  /** Lines to read; not all of many. */ readonly files: readonly string[];
};

/** Every kind of flag, the worst first: what takes over the machine or a secret, then what runs without being called, then what may run, then what is only not known. */
const WORST_FIRST =
  `repository secret unread link set-id git-hook ci-workflow submodule git-configuration git-attributes code-owners agent-settings shell-startup
  directory-environment environment-file editor-settings package-script package-configuration lock-file ignore-file foreign-code development-container build-file world-writable
  wider-mode executable changed-program script commit checkout conflict mount other-owner hard-link hidden-text tool-script program sparse symlink special-file dot-file configuration
  built-file no-text unknown-kind`.split(/\s+/u);

const RANKS: ReadonlyMap<string, number> = new Map(WORST_FIRST.map((kind, rank) => [kind, rank]));

/** Flags with more of them, worst first: a kind that is not known is said only where nothing else is. */
export function withFlags(flags: readonly Flag[], more: readonly Flag[]): readonly Flag[] {
  const all = [...more, ...flags].toSorted(byRank);
  return all.length > 1 ? all.filter(({ kind }) => kind !== "unknown-kind") : all;
}

/** The lower, the worse. A kind that is in no list is the worst. */
export function rankOf({ kind }: Pick<Flag, "kind">): number {
  return RANKS.get(kind) ?? -1;
}

export function byRank(one: Pick<Flag, "kind">, other: Pick<Flag, "kind">): number {
  return rankOf(one) - rankOf(other);
}

/** Of flags that stand worst first; what has none comes last. */
export function rankOfChange({ flags }: Pick<FlaggedChange, "flags">): number {
  const [worst] = flags;
  return worst === undefined ? WORST_FIRST.length : rankOf(worst);
}

/** Changes that share their worst flag, the worst first; those without any come last, with `flag` null. */
export type Group<Item extends FlaggedChange> = { readonly flag: Flag | null; readonly changes: readonly Item[] };

export function groupsOf<Item extends FlaggedChange>(changes: readonly Item[]): readonly Group<Item>[] {
  const groups = [...Map.groupBy(changes, ({ flags: [worst] }) => (worst === undefined ? "" : `${worst.kind}\0${worst.reason}`)).values()];
  return groups
    .map((group) => ({ flag: group[0]?.flags[0] ?? null, changes: group }))
    .toSorted((one, other) => rankOfChange(one.changes[0] ?? { flags: [] }) - rankOfChange(other.changes[0] ?? { flags: [] }));
}
