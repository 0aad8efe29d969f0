import type { KeyObject } from "node:crypto";
import { canonicalJson } from "../../base/digest.ts";
import { authenticate } from "./key.ts";

/** The last line of an archive, authenticated. `previous` is the hash that its first record follows. */
export type ArchiveSeal = { readonly first: number; readonly last: number; readonly previous: string; readonly lastHash: string };

/** The text of a seal, as it is written. */
export function sealLine(seal: ArchiveSeal, key: KeyObject): string {
  return canonicalJson({ mac: authenticate(key, "archive", canonicalJson(seal)), seal });
}
