/** What a call of a foreign tool does, by its arguments' names: it is judged as that beside its name. */
export type ToolMapping = {
  /** Hosts that its content goes to, whatever the arguments. */ readonly sends: readonly string[];
  /** `tree`: with all below it. */ readonly paths: Readonly<Record<string, "read" | "tree" | "write">>;
  /** Arguments that hold addresses. */ readonly hosts: readonly string[];
  /** Arguments that hold commands. */ readonly commands: readonly string[];
};

/** `tool`: a pattern as in `tools.allow`. */
export type StatedMapping = ToolMapping & { readonly tool: string };

/** From the one that wants least. */
const ACCESSES = ["read", "tree", "write"] as const;

/** All that several say of one tool. Of two statements about one argument the one that wants more holds. */
export function combinedMapping(all: readonly ToolMapping[]): ToolMapping {
  const paths = all.flatMap((each) => Object.entries(each.paths)).toSorted(([, one], [, other]) => ACCESSES.indexOf(one) - ACCESSES.indexOf(other));
  return {
    sends: [...new Set(all.flatMap(({ sends }) => sends))],
    paths: Object.fromEntries(paths),
    hosts: [...new Set(all.flatMap(({ hosts }) => hosts))],
    commands: [...new Set(all.flatMap(({ commands }) => commands))],
  };
}
