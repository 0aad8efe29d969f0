import { ownTables } from "../../../app/policy/versions/own-tables.ts";
import { visibleJson } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";

/** `warder policy tables`: the program tables of this Warder, for another one that compares itself with it. */
export function printTables(version: string): number {
  process.stdout.write(`${visibleJson(ownTables(version))}\n`);
  return EXIT.done;
}
