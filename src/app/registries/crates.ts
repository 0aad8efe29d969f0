import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { linesOf, placeOf, type RegistryClient } from "./client.ts";

const INDEX = "https://index.crates.io/";
/** Where its index says that the crates lie (`dl` of its config.json). */
const CRATES = "https://static.crates.io/";
const MAX_REPLACED = 8;

/** How this account's cargo reaches crates.io, or what replaces it: https://doc.rust-lang.org/cargo/reference/source-replacement.html */
export function cratesClient(): RegistryClient {
  const text = replacementOf(sourcesIn(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo")));
  if (text === null) {
    const places = [
      { url: new URL(INDEX), login: null },
      { url: new URL(CRATES), login: null, hasFilesAlone: true as const },
    ];
    return { registry: "crates", places, env: {}, trusted: [] };
  }
  const place = text.startsWith("sparse+") ? placeOf(text.slice("sparse+".length)) : null;
  if (place === null)
    throw new AgentError("usage", "What replaces crates.io in cargo's configuration is no sparse index (`sparse+https://…`), and Warder reads no other.", {
      remedy: "Name a sparse index there, or take `crates` out of the policy's registries.",
    });
  const config = `[source.crates-io]\nreplace-with = "warder"\n[source.warder]\nregistry = ${JSON.stringify(`sparse+${place.url.href}`)}\n`;
  return { registry: "crates", places: [place], env: {}, homeFiles: { ".cargo/config.toml": config }, trusted: [] };
}

type Source = { readonly registry?: string; readonly "replace-with"?: string };

/** The tables `[source.NAME]` of a configuration, as far as they are used here. */
function sourcesIn(home: string): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  const file = [join(home, "config"), join(home, "config.toml")].find((path) => existsSync(path));
  let name: string | null = null;
  for (const line of file === undefined ? [] : linesOf(file)) {
    const [, table] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/u.exec(line) ?? [];
    if (table !== undefined) name = /^source\.["']?([\w-]+)["']?$/u.exec(table.trim())?.[1] ?? null;
    const [, key, value] = /^\s*(registry|replace-with)\s*=\s*["']([^"']*)["']\s*(?:#.*)?$/u.exec(line) ?? [];
    if (name !== null && key !== undefined) sources.set(name, { ...sources.get(name), [key]: value });
  }
  return sources;
}

function replacementOf(sources: ReadonlyMap<string, Source>): string | null {
  let name = sources.get("crates-io")?.["replace-with"];
  if (name === undefined) return sources.get("crates-io")?.registry ?? null;
  for (let at = 0; at < MAX_REPLACED && name !== undefined; at += 1) {
    const source = sources.get(name);
    if (source?.["replace-with"] === undefined) return source?.registry ?? "";
    name = source["replace-with"];
  }
  return "";
}
