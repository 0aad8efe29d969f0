import { isHostPattern } from "../matching/hosts.ts";
import type { StatedMapping } from "../tool-mapping.ts";
import type { Stated } from "./statement.ts";
import { type Reading, requireSound } from "./reading-context.ts";
import type { PolicyDocument } from "./schema.ts";
import { ownToolNames, toolFault } from "./tool-patterns.ts";

type Mappings = NonNullable<NonNullable<PolicyDocument["tools"]>["mcp"]>;

/** What arguments of foreign tools mean. Of several that speak of one tool all hold. */
export function readMappings(mappings: Mappings, reading: Reading): readonly Stated<StatedMapping>[] {
  return Object.entries(mappings).flatMap(([pattern, { sends = [], paths = {}, hosts = [], commands = [] }]) => {
    const place = ["tools", "mcp", pattern];
    requireSound(pattern, place, reading, patternFault);
    const all = typeof sends === "string" ? [sends] : sends;
    for (const host of all) requireSound(host, [...place, "sends"], reading, hostFault);
    return ownToolNames(pattern).map((tool) => ({ value: { tool, sends: all, paths, hosts, commands }, at: reading.at(place) }));
  });
}

function patternFault(pattern: string): string | null {
  const fault = toolFault(pattern);
  if (fault !== null) return fault;
  return pattern.includes("__") || pattern.startsWith("@") ? null : "it is no name of a foreign tool, which has `__` in it";
}

function hostFault(host: string): string | null {
  return isHostPattern(host) && !host.includes("*") ? null : "it is no name of one host";
}
