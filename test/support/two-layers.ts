import { closeSync, lstatSync, mkdirSync, readdirSync, type Stats, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Change } from "../../src/sandbox/runtime.ts";
import { createSecretScan } from "../../src/sandbox/workspace/files/secret-scan.ts";
import { openTree } from "../../src/sandbox/workspace/files/tree.ts";
import { flagged } from "../../src/landing/review/flags.ts";
import { groundOf } from "../../src/landing/review/ground.ts";
import type { FlaggedChange } from "../../src/landing/review/ranks.ts";
import { type Manifest, manifestOf, writeManifest } from "../../src/sandbox/workspace/scan/manifest.ts";
import { temporaryDirectory } from "./temporary-store.ts";

type Layer = "upper" | "lower";

/** A workspace and what a run wrote over it, as plain directories: enough to look at changes. */
export type TwoLayers = {
  readonly top: string;
  put(layer: Layer, path: string, content: string | Uint8Array): void;
  link(layer: Layer, path: string, target: string): void;
  /** A change as a review shows it. `began`: what the workspace was when the run began, where that is not what it is. */
  look(path: string, change?: Partial<Change>, others?: readonly Change[], began?: Manifest): FlaggedChange;
  /** The kinds of its flags. */
  flags(path: string, change?: Partial<Change>, others?: readonly Change[]): readonly string[];
};

const KNOWN = new Map([["DEPLOY_TOKEN", "correct-horse-battery"]]);

export function twoLayers(): TwoLayers {
  const top = temporaryDirectory();
  for (const name of ["upper", "lower"]) mkdirSync(join(top, name));
  const workspace = join(top, "lower");
  const inLayer = (layer: Layer, path: string): string => {
    const file = join(top, layer, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  };
  const look: TwoLayers["look"] = (path, change = {}, others = [], began = manifestOf(workspace, entriesBelow(workspace))) => {
    const layers = { upper: openTree(join(top, "upper")), lower: openTree(workspace) };
    writeManifest(join(top, "manifest"), began);
    try {
      const whole: Change = { path, kind: "modified", type: "file", size: 1, mode: 0o644, ...change };
      return flagged(whole, groundOf({ workspace, layers, secrets: createSecretScan(KNOWN) }, join(top, "manifest"), [whole, ...others]));
    } finally {
      closeSync(layers.upper);
      closeSync(layers.lower);
    }
  };
  return {
    top,
    put: (layer, path, content) => {
      writeFileSync(inLayer(layer, path), content);
    },
    link: (layer, path, target) => {
      symlinkSync(target, inLayer(layer, path));
    },
    look,
    flags: (path, change, others) => look(path, change, others).flags.map((flag) => flag.kind),
  };
}

function entriesBelow(directory: string): Map<string, Stats> {
  const entries = new Map<string, Stats>();
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path);
    entries.set(path, stats);
    if (stats.isDirectory()) for (const [below, inner] of entriesBelow(path)) entries.set(below, inner);
  }
  return entries;
}
