import type { Facts, PathFact } from "../facts.ts";
import { isWithin, normalisePath } from "../matching/paths.ts";
import type { PathPatternSet } from "../matching/path-patterns.ts";
import type { Access, PathPattern, Policy } from "../policy.ts";

/**
 * Whose a path is. `root`: below a root of the policy. `scratch`: emptied with the sandbox. `device`: a source or
 * sink that is no file. `image`: exists only inside the container. `system`: the host's own programs and public
 * settings, which every sandbox shows read-only. `ancestor`: a directory above one of these, of which only names
 * show. `outside`: anything else.
 */
export type Place = "root" | "scratch" | "home" | "device" | "image" | "system" | "ancestor" | "outside";

/** What is done with a path. */
export type PathUse = "read" | "write" | "delete";

/** What the policy and the measurement say of one path. */
export type PathJudgement = {
  readonly place: Place;
  /** With `root`. */
  readonly access: Access | null;
  readonly forbidden: PathPattern | null;
  /** Null for a read: what is protected may be read. */
  readonly protected: PathPattern | null;
  readonly isOwn: boolean;
  /** False: law 8, the riskiest class. */
  readonly isMeasured: boolean;
  /** A file with further hard links: what is written here is written elsewhere too. */
  readonly hasOtherNames: boolean;
};

/** A path as it was asked for, and the same normalised. */
export type AskedPath = { readonly asked: string; readonly written: string };

/** What paths are judged by, compiled once for a policy and the facts of a call. */
export type PathRules = {
  readonly policy: Policy;
  readonly forbidden: PathPatternSet;
  readonly alwaysForbidden: PathPatternSet;
  readonly protected: PathPatternSet;
};

// A command's further descriptors are files that it may have opened for reading: by their names they are opened anew, for writing.
const SINKS = /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/u;
const SOURCES = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d{1,9})$/u;
const SCRATCH = ["/tmp", "/var/tmp", "/dev/shm"];

/** Shown read-only by every runtime that shows the host's files, and what lies below. Of `/etc` only what holds no secret on any machine. */
const SYSTEM: ReadonlySet<string> = new Set([
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/debian_version",
  "/etc/fonts",
  "/etc/group",
  "/etc/host.conf",
  "/etc/hostname",
  "/etc/hosts",
  "/etc/issue",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/lsb-release",
  "/etc/mime.types",
  "/etc/nsswitch.conf",
  "/etc/os-release",
  "/etc/passwd",
  "/etc/protocols",
  "/etc/resolv.conf",
  "/etc/services",
  "/etc/shells",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/timezone",
]);

/** Files of `/proc` and `/sys` that describe the machine and no process. */
const MACHINE = /^\/proc\/(?:cpuinfo|filesystems|loadavg|meminfo|partitions|stat|swaps|uptime|version|vmstat)$|^\/sys\/(?:class|devices\/system)(?:\/|$)/u;

/**
 * What the policy says of an absolute path: of the path as written (normalised), and of the real path behind its symlinks as it was measured.
 * Patterns are held against both, so a symlink that leads outside is judged by where it leads.
 */
export function judgePath(rules: PathRules, { asked, written }: AskedPath, use: PathUse, facts: Facts): PathJudgement {
  const fact = facts.paths.get(asked) ?? (asked === written ? undefined : facts.paths.get(written));
  // `/dev/stdin` is the command's own stream, wherever the link of that name leads for who measured it.
  const isDevice = use !== "delete" && written.startsWith("/dev/") && (use === "write" ? SINKS : SOURCES).test(written);
  const real = fact === undefined || isDevice || fact.real === written ? written : normalisePath(fact.real);
  const isSame = real === written;
  const access = rootAccess(rules.policy, written);
  // Outside the roots a sandbox does not show the host's files, so a measurement on the host says nothing.
  const isInside = facts.containment === "profile" && facts.measured === "host" && access === null;
  const isMeasured = isDevice || isInside || (fact !== undefined && fact.error === undefined);
  const judged = isInside ? written : real;
  const judgedAccess = judged === written ? access : rootAccess(rules.policy, judged);
  const place = isDevice ? "device" : judgedAccess !== null ? "root" : placeOutside(rules.policy, judged, facts, isInside ? undefined : fact);
  return {
    place,
    access: place === "root" ? judgedAccess : null,
    forbidden: forbiddenBy(rules, written, use, facts) ?? (isSame ? null : forbiddenBy(rules, real, use, facts)),
    protected: use === "read" ? null : (rules.protected.find(written) ?? (isSame ? null : rules.protected.find(real))),
    isOwn: isOwnPath(rules.policy, written, use, facts) || (!isSame && isOwnPath(rules.policy, real, use, facts)),
    isMeasured,
    hasOtherNames: fact !== undefined && fact.type === "file" && fact.links > 1,
  };
}

/**
 * What was measured as public may be read, where nothing but patterns of keys forbids it. What a run makes under such a name is its own: nothing
 * private was there as the session opened. A key that no pattern names is forbidden by what it holds.
 */
function forbiddenBy({ policy, forbidden, alwaysForbidden }: PathRules, path: string, use: PathUse, facts: Facts): PathPattern | null {
  const found = forbidden.find(path);
  if (found !== null && found.isOfKeys !== true) return found;
  if (isHiddenKey(path, facts)) return found ?? unnamedKey(policy, path);
  if (found === null) return null;
  const isPublic = facts.publicOnly?.has(path) === true;
  return isOwnToRun(policy, path, facts) || (isPublic && use === "read") ? alwaysForbidden.find(path) : found;
}

/** Of a name that a pattern of keys has: whether nothing was there as the sandbox opened, or only public parts that the run may replace. */
export function isOwnToRun(policy: Policy, path: string, facts: Facts): boolean {
  if (facts.containment !== "profile" || facts.privateKeys === undefined || isHeld(path, facts)) return false;
  return !isHiddenKey(path, facts) && rootAccess(policy, path) !== null;
}

function isHeld(path: string, { publicOnly, publicHeld }: Facts): boolean {
  return publicOnly?.has(path) === true && publicHeld?.has(path) !== false;
}

function isHiddenKey(path: string, { privateKeys }: Facts): boolean {
  if (privateKeys === undefined || privateKeys.size === 0) return false;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) if (privateKeys.has(path.slice(0, end))) return true;
  return false;
}

/** As if a pattern named it: the policy's first one of keys says where. */
function unnamedKey({ workspace }: Policy, path: string): PathPattern | null {
  const stated = workspace.forbidden.find(({ isOfKeys }) => isOfKeys === true);
  return stated === undefined ? null : { ...stated, pattern: path };
}

/** The access of the innermost root that holds the path; null outside every root. */
export function rootAccess(policy: Policy, path: string): Access | null {
  let access: Access | null = null;
  let longest = -1;
  for (const root of policy.workspace.roots) {
    if (root.path.length > longest && isWithin(path, root.path)) {
      longest = root.path.length;
      access = root.access;
    }
  }
  return access;
}

/** The place of a path that lies in no root. */
function placeOutside(policy: Policy, path: string, facts: Facts, fact: PathFact | undefined): Place {
  if (facts.containment === "profile") {
    if (SCRATCH.some((directory) => isWithin(path, directory))) return "scratch";
    if (isWithin(path, facts.home)) return "home";
    if (isWithin(path, "/dev")) return "outside";
    if (policy.sandbox.runtime === "docker") return "image";
  }
  if (isSystem(path) || MACHINE.test(path)) return "system";
  const isDirectory = fact === undefined || fact.type === "directory";
  if (isDirectory && (policy.workspace.roots.some((root) => isWithin(root.path, path)) || isWithin("/usr", path))) return "ancestor";
  return "outside";
}

function isSystem(path: string): boolean {
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) if (SYSTEM.has(path.slice(0, end))) return true;
  return SYSTEM.has(path);
}

/** Warder's state is closed to reads and writes; the policy files that govern the run are closed to writes. */
function isOwnPath(policy: Policy, path: string, use: PathUse, facts: Facts): boolean {
  return facts.ownPaths.some((own) => isWithin(path, own)) || (use !== "read" && policy.files.some((file) => isWithin(path, file)));
}
