import { fstatSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { mountsIn } from "../files/kept.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import type { SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";
import { type Manifest, readManifest } from "../../sandbox/workspace/scan/manifest.ts";
import type { Ground } from "./flags.ts";
import { aliasesIn } from "./links.ts";

/** A directory with one of these is the top of a project: tools look there for their own files. */
const MARKS =
  `package.json deno.json pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml go.mod Gemfile composer.json mix.exs rebar.config pom.xml build.gradle
  build.gradle.kts build.sbt build.xml CMakeLists.txt meson.build Makefile Package.swift pubspec.yaml stack.yaml dune-project project.clj deps.edn shard.yml .git`.split(
    /\s+/u,
  );

type Place = { readonly workspace: string; readonly layers: Layers; readonly secrets: SecretScan };

/** What all changes of a run are judged against. `manifest`: its file. */
export function groundOf({ workspace, layers, secrets }: Place, manifestFile: string, changes: readonly Change[]): Ground {
  const manifest = manifestIn(manifestFile);
  const made = new Set(changes.filter(({ kind }) => kind === "added").map(({ path }) => path));
  const tops = new Map<string, boolean>();
  const isTop = (directory: string): boolean => {
    const known = tops.get(directory);
    if (known !== undefined) return known;
    const has = (name: string): boolean => manifest?.has(`${directory}/${name}`) === true || made.has(`${directory}/${name}`);
    const found = directory === "" || MARKS.some(has);
    tops.set(directory, found);
    return found;
  };
  return {
    workspace,
    layers,
    secrets,
    manifest,
    aliases: aliasesIn(workspace, layers, manifest ?? new Map(), changes),
    mounts: mountsIn(workspace),
    owner: fstatSync(layers.lower).uid,
    isTop,
  };
}

/** Without it changes can be looked at, and none lands. */
export function manifestIn(file: string): Manifest | null {
  try {
    return readManifest(file);
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}
