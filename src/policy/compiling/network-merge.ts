import type { NetworkLimits, RegistryUse, TrafficLimit } from "../network.ts";

/** What is left when both lists must allow: the entries of each list that the other one covers. */
export function intersectionBy<T>(covers: (wider: T, narrower: T) => boolean): (parent: readonly T[], child: readonly T[]) => readonly T[] {
  return (parent, child) => [
    ...child.filter((entry) => parent.some((wider) => covers(wider, entry))),
    ...parent.filter((entry) => child.some((wider) => covers(wider, entry)) && !child.some((other) => covers(entry, other) && covers(other, entry))),
  ];
}

/** The names to which both give the same address. */
export function commonNames(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(other).filter(([name, address]) => one[name] === address));
}

/** The registries that both open, with credentials where both say so. */
export function commonRegistries(parent: readonly RegistryUse[], child: readonly RegistryUse[]): readonly RegistryUse[] {
  return child.flatMap(({ name, credentials }) => {
    const above = parent.find((use) => use.name === name);
    return above === undefined ? [] : [{ name, credentials: credentials && above.credentials }];
  });
}

/** The smaller of each number that either states. */
export function tighterLimits(one: NetworkLimits, other: NetworkLimits): NetworkLimits {
  const scopes = ["connection", "host", "run"] as const;
  const keys = ["bytesUp", "bytesDown", "requestsPerMinute", "connections"] as const;
  const tighter = (scope: (typeof scopes)[number]): TrafficLimit => {
    const [left, right]: readonly TrafficLimit[] = [one[scope] ?? {}, other[scope] ?? {}];
    const numbers = keys.map((key) => [key, Math.min(left?.[key] ?? Infinity, right?.[key] ?? Infinity)] as const);
    return Object.fromEntries(numbers.filter(([, value]) => value !== Infinity));
  };
  return Object.fromEntries(scopes.map((scope) => [scope, tighter(scope)] as const).filter(([, limit]) => Object.keys(limit).length > 0));
}
