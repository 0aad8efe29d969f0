/**
 * Makes a tool's `prepare`: arguments by the names that other agents have for them get this tool's own. An argument that is there under both names stays, and
 * is refused. `narration`: what other agents let a model say about its call, which changes nothing and is dropped.
 */
export function otherNames(
  names: Readonly<Record<string, string>>,
  narration: readonly string[] = ["description", "explanation"],
): (input: Record<string, unknown>) => Record<string, unknown> {
  return (input) => {
    const kept = Object.entries(input).filter(([key]) => !narration.includes(key));
    return Object.fromEntries(
      kept.map(([key, value]) => {
        const own = Object.hasOwn(names, key) ? names[key] : undefined;
        const isTaken = own === undefined || Object.hasOwn(input, own) || kept.some(([other]) => other !== key && names[other] === own);
        return [isTaken ? key : own, value];
      }),
    );
  };
}
