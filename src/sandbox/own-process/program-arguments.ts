import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type OwnProgram = {
  /** The program's own file: an absolute path below Warder's sources. */
  readonly program: string;
  /** Packages that it needs, as their modules' URLs. */
  readonly packages: readonly string[];
  readonly hasNetwork: boolean;
  /** Native modules are loaded. */
  readonly hasAddons: boolean;
};

/**
 * What Node.js is told for a process of Warder's own: by its permission model it reads Warder's sources and packages, writes no file and starts no process.
 * `known`: Node's own flags; since 25 the network is a permission, too, which earlier ones do not know.
 */
export function programArguments(
  { program, packages, hasNetwork, hasAddons }: OwnProgram,
  known: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): readonly string[] {
  const source = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  // The libraries by their real place, and by every place where the search for them looks: `node_modules` may be a link.
  const readable = [source, ...packages.map(realModules)];
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    readable.push(join(folder, "node_modules"), join(folder, "package.json"));
    if (folder === dirname(folder)) break;
  }
  const network = hasNetwork && known.has("--allow-net") ? ["--allow-net"] : [];
  return ["--permission", ...network, ...(hasAddons ? ["--allow-addons"] : []), ...readable.map((path) => `--allow-fs-read=${path}`), program];
}

/** The `node_modules` that a package really lies in, where the packages that it needs lie too. */
function realModules(url: string): string {
  const path = fileURLToPath(url);
  return path.slice(0, path.lastIndexOf("/node_modules/") + "/node_modules".length);
}
