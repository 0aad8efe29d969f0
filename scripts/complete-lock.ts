/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out because the registry it
 * asked does not have them (a partial mirror): `npm ci` refuses a lock file that does not name them all, though it
 * never fetches what is for another platform. Run it after `npm install` on such a machine. Prints what it added.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Entry = {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
type Lock = { packages: Record<string, Entry> };

const OPERATING_SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "x64", "ppc64", "riscv64", "s390x", "loong64", "mips64el"];

const path = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(path, "utf8")) as Lock;
const added: string[] = [];

for (const owner of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined || !/^\d+\.\d+\.\d+$/.test(version)) continue;
    const words = name.split(/[/-]/);
    const os = OPERATING_SYSTEMS.find((system) => words.includes(system));
    const cpu = PROCESSORS.find((processor) => words.includes(processor));
    // Only what names its platform: this must never hide a package that this machine should have installed.
    if (os === undefined || (os === process.platform && (cpu === undefined || cpu === process.arch) && !words.includes("musl"))) continue;
    lock.packages[key] = { version, ...(owner.dev === true ? { dev: true } : {}), optional: true, os: [os], ...(cpu === undefined ? {} : { cpu: [cpu] }) };
    added.push(`${name}@${version}`);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([left], [right]) => left.localeCompare(right, "en")));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "package-lock.json names every optional package" : `added ${added.length}:\n${added.join("\n")}`);
