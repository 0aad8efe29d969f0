import type { RegistryName } from "../../../policy/network.ts";

/**
 * The paths that a registry's client reads, by its protocol: names, versions, files. Each text is bounded in length and in its characters by the rule of
 * the registry. `metadata` lies below the address that is configured, `archives` anywhere on its host: an index names them by address.
 */
type Shapes = { readonly metadata: readonly RegExp[]; readonly archives: readonly RegExp[] };

/** Longer is no path of a registry: a name has its limit, and so have the folders before it. */
export const MAX_PATH = 400;

const FOLDERS = String.raw`(?:[A-Za-z0-9+._-]{1,100}/){0,10}`;

const shapes = (metadata: readonly string[], archives: readonly string[] = []): Shapes => ({
  metadata: metadata.map((text) => new RegExp(`^${text}$`, "u")),
  archives: archives.map((text) => new RegExp(`^/${text}$`, "u")),
});

// https://docs.npmjs.com/package-name-guidelines: 214 characters with the scope; old names have capitals.
const NPM_NAME = String.raw`(?:@[A-Za-z0-9~][A-Za-z0-9._~-]{0,127}(?:/|%2F))?[A-Za-z0-9_][A-Za-z0-9._~-]{0,213}`;
const NPM_VERSION = String.raw`[0-9A-Za-z][0-9A-Za-z.+-]{0,63}`;
// https://packaging.python.org/en/latest/specifications/name-normalization/
// Normalized, as clients ask for it: each other spelling of a name would be one more that exists.
const PYPI_NAME = String.raw`(?=[a-z0-9-]{1,100}/?$)[a-z0-9]+(?:-[a-z0-9]+)*`;
// https://packaging.python.org/en/latest/specifications/binary-distribution-format/, and source-distribution-format
const PYPI_FILE = String.raw`[A-Za-z0-9][A-Za-z0-9._+!-]{0,200}\.(?:whl|tar\.gz|tar\.bz2|tgz|zip|egg)(?:\.metadata)?`;
// https://doc.rust-lang.org/cargo/reference/registry-index.html
const CRATE = String.raw`[A-Za-z0-9][A-Za-z0-9_-]{0,63}`;
// The index has each name in lower case.
const LOWER_CRATE = CRATE.replaceAll("A-Z", "");
const SEMVER = String.raw`[0-9]{1,10}\.[0-9]{1,10}\.[0-9]{1,10}(?:[+-][0-9A-Za-z.+-]{1,64})?`;
// https://go.dev/ref/mod#goproxy-protocol: capitals are written `!c`.
const MODULE = String.raw`[a-z0-9][a-z0-9.!_~-]{0,100}(?:/[a-z0-9!_~.-]{1,100}){0,8}`;
const GO_VERSION = String.raw`v[0-9]{1,10}\.[0-9]{1,10}\.[0-9]{1,10}[0-9a-z.+!_-]{0,80}`;
const GO_QUERY = String.raw`[A-Za-z0-9!][A-Za-z0-9.!_-]{0,80}`;
// https://wiki.debian.org/DebianRepository/Format
const DEB_FOLDERS = String.raw`(?:[A-Za-z0-9][A-Za-z0-9+._~-]{0,80}/){1,8}`;
const DEB_INDEX = String.raw`(?:InRelease|Release(?:\.gpg)?|(?:Packages|Sources|Contents-[a-z0-9-]{1,30}|Translation-[A-Za-z_-]{1,10}|Components-[a-z0-9-]{1,20}\.yml|(?:icons|Commands)-[a-z0-9@x-]{1,20}(?:\.tar)?)(?:\.(?:gz|xz|bz2|lzma|zst|diff/Index))?|by-hash/(?:SHA256|SHA512|SHA1|MD5Sum)/[0-9a-f]{32,128})`;
// https://maven.apache.org/repositories/layout.html
const MAVEN_FOLDERS = String.raw`(?:[A-Za-z0-9_][A-Za-z0-9_.+-]{0,100}/){1,14}`;
const MAVEN_FILE = String.raw`(?:maven-metadata(?:-[a-z]{1,20})?\.xml|[A-Za-z0-9_][A-Za-z0-9_.+-]{0,200}\.(?:pom|jar|war|aar|module|zip|tar\.gz|klib))(?:\.(?:sha1|sha256|sha512|md5|asc))?`;

const SHAPES: Readonly<Record<RegistryName, Shapes>> = {
  npm: shapes([NPM_NAME, `${NPM_NAME}/(?:${NPM_VERSION}|latest)`, String.raw`${NPM_NAME}/-/[A-Za-z0-9_][A-Za-z0-9._~+-]{0,280}\.tgz`]),
  pypi: shapes([`(?:${PYPI_NAME}/?)`], [`${FOLDERS}${PYPI_FILE}`]),
  debian: shapes([
    `dists/${DEB_FOLDERS}${DEB_INDEX}`,
    String.raw`pool/${DEB_FOLDERS}[a-z0-9][a-z0-9+.-]{1,100}_[A-Za-z0-9.+:~-]{1,100}_[a-z0-9-]{1,20}\.u?deb`,
  ]),
  crates: shapes(
    [String.raw`config\.json`, `1/${LOWER_CRATE}`, `2/${LOWER_CRATE}`, `3/[a-z0-9]/${LOWER_CRATE}`, `[a-z0-9_-]{2}/[a-z0-9_-]{2}/${LOWER_CRATE}`],
    [String.raw`${FOLDERS}${CRATE}-${SEMVER}\.crate`, `${FOLDERS}${CRATE}/${SEMVER}/download`],
  ),
  go: shapes([
    String.raw`${MODULE}/(?:@latest|@v/list|@v/${GO_VERSION}\.(?:info|mod|zip)|@v/${GO_QUERY}\.info)`,
    String.raw`(?:sumdb/[a-z0-9.-]{1,100}/)?(?:supported|latest|lookup/${MODULE}@${GO_VERSION}|tile/[0-9]{1,2}/(?:[0-9]{1,2}|data)/[x0-9/]{3,40}(?:\.p/[0-9]{1,3})?)`,
  ]),
  maven: shapes([`${MAVEN_FOLDERS}${MAVEN_FILE}`]),
};

/** Whether a canonical path is one that a client of the registry reads, at an address with this base. */
export function isRegistryPath(registry: RegistryName, base: string | null, path: string): boolean {
  if (path.length > (base ?? "").length + MAX_PATH) return false;
  const { metadata, archives } = SHAPES[registry];
  return (
    (base !== null && path.startsWith(base) && metadata.some((shape) => shape.test(path.slice(base.length)))) || archives.some((shape) => shape.test(path))
  );
}
