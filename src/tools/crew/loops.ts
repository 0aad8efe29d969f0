import { type Member, orderOf } from "./order.ts";

/** Where a crew goes back to, as long as one of it says a text at its end. */
export type Loop = { readonly to: string; readonly when: string; readonly times: number };

export type LoopingMember = Member & { readonly loop?: Loop | undefined };

/** Those that begin again together: `end` decides whether they do. */
export type Round = { readonly end: string; readonly loop: Loop; readonly members: ReadonlySet<string> };

/** The name of a member in its first, second and each further round. */
export const nameIn = (name: string, round: number): string => (round === 1 ? name : `${name}-${String(round)}`);

const MAX_NAME = 32;

/** What of a crew begins again together, or why that cannot be: a sentence. The crew is in order. Pure. */
export function roundsOf(crew: readonly LoopingMember[]): readonly Round[] | string {
  const rounds: Round[] = [];
  for (const { name, loop } of crew) {
    if (loop === undefined) continue;
    const members = between(crew, loop.to, name);
    if (members === null) return `${name} can go back to itself, or to one that it waits for: ${JSON.stringify(loop.to)} is neither.`;
    const shared = rounds.flatMap((other) => [...other.members]).find((other) => members.has(other));
    if (shared !== undefined) return `${shared} would begin again for two of the crew: one loop at a time.`;
    rounds.push({ end: name, loop, members });
  }
  const groupOf = (name: string): string => rounds.find(({ members }) => members.has(name))?.end ?? name;
  const groups = [...new Set(crew.map(({ name }) => groupOf(name)))].map((name) => ({
    name,
    after: [...new Set(crew.flatMap((member) => (groupOf(member.name) === name ? (member.after ?? []).map(groupOf) : [])))].filter((other) => other !== name),
  }));
  if (typeof orderOf(groups) === "string") return "Two loops of the crew wait for each other, so none of them could end.";
  const names = new Set(crew.map(({ name }) => name));
  for (const { members, loop } of rounds)
    for (const name of members)
      for (let round = 2; round <= loop.times + 1; round += 1) {
        const later = nameIn(name, round);
        if (names.has(later)) return `${later} is the name that ${name} has when it begins again.`;
        if (later.length > MAX_NAME) return `${name} begins again under a longer name: give it one of at most ${String(MAX_NAME - 3)} characters.`;
      }
  return rounds;
}

/** Both ends, and all that wait for the first and are waited for by the last; null: the last does not wait for the first. */
function between(crew: readonly Member[], first: string, last: string): ReadonlySet<string> | null {
  const after = new Map(crew.map((member) => [member.name, member.after ?? []]));
  const reaches = new Map<string, boolean>();
  // The crew has no circles, and each is asked once.
  const waitsForFirst = (name: string): boolean => {
    const known = reaches.get(name);
    if (known !== undefined) return known;
    const answer = name === first || (after.get(name) ?? []).some(waitsForFirst);
    reaches.set(name, answer);
    return answer;
  };
  if (!waitsForFirst(last)) return null;
  const members = new Set<string>();
  const take = (name: string): void => {
    if (members.has(name) || !waitsForFirst(name)) return;
    members.add(name);
    for (const other of after.get(name) ?? []) take(other);
  };
  take(last);
  return members;
}
