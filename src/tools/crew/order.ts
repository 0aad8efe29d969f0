/** One of a crew, and those that must end before it begins. */
export type Member = { readonly name: string; readonly after?: readonly string[] | undefined };

/** The crew so that each stands behind those that it waits for, and otherwise as it was given. Or why that cannot be: a sentence. Pure. */
export function orderOf<T extends Member>(crew: readonly T[]): readonly T[] | string {
  const names = new Set(crew.map(({ name }) => name));
  if (names.size < crew.length) return "Each of the crew needs a name of its own.";
  const stranger = crew.flatMap(({ after = [] }) => after).find((name) => !names.has(name));
  if (stranger !== undefined) return `Nobody of the crew is called ${JSON.stringify(stranger)}.`;
  const placed = new Set<string>();
  const order: T[] = [];
  while (order.length < crew.length) {
    const next = crew.find(({ name, after = [] }) => !placed.has(name) && after.every((other) => placed.has(other)));
    if (next === undefined) return "Some of the crew wait for each other, so none of them could begin.";
    placed.add(next.name);
    order.push(next);
  }
  return order;
}
