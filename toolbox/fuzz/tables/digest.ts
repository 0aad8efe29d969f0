import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAMS } from "../../../src/programs/programs.ts";
import { digestOf } from "../../shared/digest.ts";
import { TRIED } from "./vocabulary.ts";

const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The digest of what a campaign tests, as 64 hexadecimal digits: the readers of words, the notation, the tables of the programs that are
 * tried, and the fuzzer itself. The shell's syntax is left out: every word of a generated command is quoted. Counts add up while it stays the same.
 */
export function tablesDigest(): string {
  const texts: string[] = [];
  for (const folder of ["src/shell/model", "src/shell/effects", "toolbox/fuzz/tables"]) {
    const names = readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:ts|pl)$/.test(name));
    for (const name of names.toSorted()) texts.push(name, readFileSync(join(CHECKOUT, folder, name), "utf8"));
  }
  for (const name of ["get-or-create.ts", "notation.ts", "option-notation.ts", "table.ts", "catalogue.ts"])
    texts.push(readFileSync(join(CHECKOUT, "src/programs", name), "utf8"));
  for (const name of TRIED)
    texts.push(name, JSON.stringify(PROGRAMS.find(name), (_key, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value)) ?? "");
  return digestOf(texts);
}
