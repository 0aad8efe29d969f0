import type { SpentTraffic } from "../traffic/quotas.ts";

/** How much may be asked of a run's registries that they do not have: to install takes hardly any of it, and to carry something out takes one for each part. */
export const MISSING_NAMES = { names: 24, characters: 2048 } as const;

type Amount = { readonly names: number; readonly characters: number };

/** What earlier proxies of the run were asked for in vain. */
export function missingOf(spent: SpentTraffic): Amount {
  const all = Object.values(spent).flatMap(({ missing }) => missing ?? []);
  const sum = (key: keyof Amount): number => all.reduce((total, missing) => total + missing[key], 0);
  return { names: sum("names"), characters: sum("characters") };
}

/**
 * Counts the names that registries were asked for and did not show to have. A name takes its place before it is asked for, so that many at once are no
 * more than one after the other, and gives it back when the registry has it. Whoever finds no place waits for the answers of others.
 */
export class NamesBudget {
  private readonly limit: Amount;
  private readonly before: Amount;
  private readonly known = new Set<string>();
  /** Asked for, and not known to be there: by name, how many ask now, and whether it went out in vain. */
  private readonly open = new Map<string, { asking: number; isLost: boolean }>();
  /** By the name to which it was redirected. */
  private readonly redirected = new Map<string, Set<string>>();
  private readonly waiting: (() => void)[] = [];

  constructor(before: Amount = { names: 0, characters: 0 }, limit: Amount = MISSING_NAMES) {
    this.before = before;
    this.limit = limit;
  }

  /** Takes a place for a name, until {@link leave}. False: none is left, and nothing is to be left. */
  async take(name: string): Promise<boolean> {
    for (;;) {
      if (this.known.has(name)) return true;
      const place = this.open.get(name);
      const others = [...this.open.keys()];
      // Asked for once, it says nothing new.
      if (place !== undefined || this.fits([...others, name])) {
        this.open.set(name, { asking: (place?.asking ?? 0) + 1, isLost: place?.isLost === true });
        return true;
      }
      const lost = others.filter((other) => this.open.get(other)?.isLost === true);
      if (lost.length === others.length || !this.fits([...lost, name])) return false;
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
  }

  /** Nobody waits for this answer any more. Unless the registry has it, the name keeps its place if it went out. */
  leave(name: string, wasSent: boolean): void {
    const place = this.open.get(name);
    if (place === undefined) return;
    place.asking -= 1;
    place.isLost ||= wasSent;
    if (place.asking === 0 && !place.isLost) this.open.delete(name);
    this.wake();
  }

  /** The registry has it. */
  isThere(name: string): void {
    if (this.known.has(name)) return;
    this.known.add(name);
    this.open.delete(name);
    for (const from of this.redirected.get(name) ?? []) this.isThere(from);
    this.redirected.delete(name);
    this.wake();
  }

  /** It is elsewhere: there if that is. */
  isAt(name: string, other: string): void {
    if (this.known.has(other)) return this.isThere(name);
    this.redirected.set(other, (this.redirected.get(other) ?? new Set()).add(name));
  }

  private fits(names: readonly string[]): boolean {
    const characters = names.reduce((sum, name) => sum + name.length, this.before.characters);
    return this.before.names + names.length <= this.limit.names && characters <= this.limit.characters;
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
