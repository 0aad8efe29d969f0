import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Control } from "./control.ts";

/** What the documentation says that Warder refuses or bounds: test/controls.json. `root`: of a checkout. */
export function controlsIn(root: string): readonly Control[] {
  return listIn(join(root, "test/controls.json"));
}

/** What docs/features.md says that Warder does, where that is no control: the lists in test/behaviours. */
export function behavioursIn(root: string): readonly Control[] {
  const folder = join(root, "test/behaviours");
  return readdirSync(folder).flatMap((name) => listIn(join(folder, name)));
}

function listIn(file: string): readonly Control[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly Control[];
}
