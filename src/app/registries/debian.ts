import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { linesOf, placeOf, type RegistryClient, textAt } from "./client.ts";

const LOOK_TIMEOUT_MS = 10_000;

/** One line of a list: `deb [options] URI suite component…` (sources.list(5)). */
type Source = { readonly options: string; readonly uri: string; readonly suites: readonly string[]; readonly components: readonly string[] };

/**
 * How this account's apt reaches Debian's archive, by its lists of sources. Sources of anybody else are left out. Suites stand for the release of the
 * image, whatever this machine's is. Throws `usage` where no list names an archive.
 */
export async function debianClient(): Promise<RegistryClient> {
  const config = await aptConfig();
  const found = config === null ? [] : sourcesIn(config).filter(({ uri }) => /\/debian(?:-security)?\/?$/u.test(uri));
  if (found.length === 0)
    throw new AgentError("usage", "No list of apt's on this machine names an archive of Debian, so nobody knows where the registry `debian` is.", {
      remedy: "Leave `debian` out of sandbox.network.registries, or name the archive's host in sandbox.network.allow.",
    });
  const places = [...new Set(found.map(({ uri }) => uri))].flatMap((uri) => placeOf(uri) ?? []);
  const release = /^VERSION_CODENAME=["']?([a-z]+)/mu.exec(textAt("/etc/os-release") ?? "")?.[1] ?? "";
  const lines = found.flatMap(({ options, uri, suites, components }) =>
    suites.map((suite) => {
      const [own, ...rest] = suite.split("-");
      const named = own === release ? [RELEASE, ...rest].join("-") : suite;
      return ["deb", ...(options === "" ? [] : [`[${options}]`]), placeOf(uri)?.url.href ?? uri, named, ...components].join(" ");
    }),
  );
  return { registry: "debian", places, env: {}, apt: { sources: `${lines.join("\n")}\n`, settings: config?.settings ?? [] }, trusted: [] };
}

/** Stands for the release of the image. */
const RELEASE = "{release}";

type AptConfig = { readonly files: readonly string[]; /** Lines of apt.conf(5). */ readonly settings: readonly string[] };

/** What apt itself says of where its lists are; null where there is no apt. */
async function aptConfig(): Promise<AptConfig | null> {
  try {
    const { stdout } = await promisify(execFile)("apt-config", ["dump"], { timeout: LOOK_TIMEOUT_MS });
    const { stdout: named } = await promisify(execFile)("apt-config", ["shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"], {
      timeout: LOOK_TIMEOUT_MS,
    });
    const at = (name: string): string => new RegExp(`^${name}='([^']*)'$`, "mu").exec(named)?.[1] ?? "";
    const parts = namesIn(at("PARTS")).filter((name) => /^[\w.-]+\.(?:list|sources)$/u.test(name));
    return {
      files: [at("LIST"), ...parts.map((name) => join(at("PARTS"), name))],
      // Of an archive as it was at one day the dates have passed.
      settings: stdout.split("\n").filter((line) => /^Acquire::Check-(?:Valid-Until|Date) "(?:true|false|0|1)";$/u.test(line)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

function sourcesIn({ files }: AptConfig): readonly Source[] {
  return files.flatMap((file) => (file.endsWith(".sources") ? stanzasIn(textAt(file) ?? "") : linesOf(file).flatMap(lineOf)));
}

function lineOf(line: string): readonly Source[] {
  const [, options = "", uri = "", suite = "", components = ""] = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/u.exec(line) ?? [];
  return uri === "" ? [] : [{ options: knownOptions(options.trim().split(/\s+/u)), uri, suites: [suite], components: words(components) }];
}

function stanzasIn(text: string): readonly Source[] {
  return text.split(/\n\s*\n/u).flatMap((stanza) => {
    const field = (name: string): string => new RegExp(`^${name}:[ \\t]*(.*)$`, "imu").exec(stanza)?.[1]?.trim() ?? "";
    if (!words(field("Types")).includes("deb") || /^no$/iu.test(field("Enabled"))) return [];
    const options = [
      ...(field("Signed-By").startsWith("/") ? [`signed-by=${field("Signed-By")}`] : []),
      ...(field("Trusted") === "yes" ? ["trusted=yes"] : []),
    ];
    return words(field("URIs")).map((uri) => ({
      options: knownOptions(options),
      uri,
      suites: words(field("Suites")),
      components: words(field("Components")),
    }));
  });
}

const words = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== "");

const knownOptions = (options: readonly string[]): string => options.filter((option) => /^(?:signed-by=\/[\w./-]+|trusted=yes)$/u.test(option)).join(" ");
