import type { SourceFile } from "./source-file.ts";

/** One line a violation: the file, and what it must not do. */
export type Violations = readonly string[];

/** Lower layers first: a folder imports only from folders in a line above its own. Folders in one line never import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ["base"],
  ["programs"],
  ["shell"],
  ["policy"],
  ["store"],
  ["audit", "approvals", "budgets"],
  ["sandbox"],
  ["landing"],
  ["tools"],
  ["mcp"],
  ["openapi"],
  ["foreign"],
  ["gate"],
  ["providers"],
  ["agent"],
  ["schedule"],
  ["config"],
  ["app"],
  ["serve"],
  ["cli", "entries", "playground"],
];

/** Configuration says where things are; what decides and what acts gets it handed in. */
const IMPORTERS_OF_CONFIG = ["app", "cli", "entries"];

/** Folders that do no I/O, with the files in them that may import from node: and why. */
const PURE_LAYERS: ReadonlySet<string> = new Set(["base", "programs", "shell", "policy", "foreign"]);
const PURE_EXCEPTIONS: Readonly<Record<string, { readonly modules: readonly string[]; readonly because: string }>> = {
  "src/base/digest.ts": { modules: ["node:crypto"], because: "SHA-256 is a pure function that the language lacks" },
  "src/base/ids.ts": { modules: ["node:crypto"], because: "identifiers come from the system's random source" },
};
const AMBIENT_WORDS = /\b(?:process\.|Math\.random|Date\.now|new Date\(\)|setTimeout|setInterval|fetch\(|console\.|performance\.)/;
/** The clock is the one door to time, and everything else gets it handed in. */
const AMBIENT_EXCEPTIONS: ReadonlySet<string> = new Set(["src/base/clock.ts"]);

/** The schema library is for whoever decodes foreign data: what people, models, hooks and peers wrote or said. */
const SCHEMA_PACKAGE = "zod";
const SCHEMA_FILES = [
  /^src\/policy\/language\/(?:hook-)?schema(?:-values)?\.ts$/,
  /^src\/policy\/text\/schema-diagnostics\.ts$/,
  /^src\/tools\//,
  /^src\/mcp\//,
  /^src\/openapi\//,
  /^src\/providers\/scripted\//,
  /^src\/config\//,
  /^src\/gate\/hooks\//,
];

/** A tool gets capability handles and nothing else, so that a new tool cannot forget to ask. */
const HANDLE_ONLY_LAYERS: ReadonlySet<string> = new Set(["tools", "mcp", "openapi"]);
/** Computes with text and touches no file. */
const HARMLESS_MODULES: ReadonlySet<string> = new Set([
  "node:path",
  SCHEMA_PACKAGE,
  // Speaks the protocol over whatever it is given; its transports, which start processes and connect, are other modules.
  "@modelcontextprotocol/sdk/client/index.js",
  "@modelcontextprotocol/sdk/types.js",
  // Connects by the `fetch` that it is handed.
  "@modelcontextprotocol/sdk/client/streamableHttp.js",
  "@modelcontextprotocol/sdk/client/auth.js",
  "@modelcontextprotocol/sdk/shared/transport.js",
]);
const AMBIENT_TOOL_WORDS = /\b(?:process\.|fetch\(|globalThis|require\(|eval\(|new Function\()/;

const MAX_LINES = 300;
const BANNED_NAMES = /(?:^|-)(?:manager|helper|helpers|util|utils|service|handler|misc|common)(?:-|\.|$)/;

const rankOf = (layer: string): number => LAYERS.findIndex((layers) => layers.includes(layer));

/** Imports go down: never up, never sideways between folders of one line, never from a folder that is not in the list. */
export function importsThatGoUp(files: readonly SourceFile[]): Violations {
  return files.flatMap((file) => {
    if (file.layer === "") return [];
    const rank = rankOf(file.layer);
    if (rank === -1) return [`${file.path}: src/${file.layer} is not in the list of layers`];
    return file.imports.flatMap(({ target }) => {
      if (target === null || target.startsWith(`src/${file.layer}/`)) return [];
      const layer = target.split("/")[1] ?? "";
      if (layer === "config" && !IMPORTERS_OF_CONFIG.includes(file.layer)) return [`${file.path}: only ${IMPORTERS_OF_CONFIG.join(", ")} may import ${target}`];
      const isBelow = target.startsWith("src/") && rankOf(layer) !== -1 && rankOf(layer) < rank;
      return isBelow ? [] : [`${file.path}: must not import ${target}`];
    });
  });
}

/** What decides is pure: no node: modules, no clock, no randomness, no process. */
export function impureFiles(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => PURE_LAYERS.has(file.layer))
    .flatMap((file) => {
      const allowed = PURE_EXCEPTIONS[file.path]?.modules ?? [];
      const modules = file.imports.filter(({ specifier, isTypeOnly }) => isNodeModule(specifier) && !isTypeOnly && !allowed.includes(specifier));
      const word = AMBIENT_EXCEPTIONS.has(file.path) ? null : AMBIENT_WORDS.exec(file.code);
      return [
        ...modules.map(({ specifier }) => `${file.path}: must not import ${specifier}`),
        ...(word === null ? [] : [`${file.path}: must not use ${word[0]}`]),
      ];
    });
}

/** One door for each package: it is imported from one folder, and zod from schema files. */
export function packagesWithTwoDoors(files: readonly SourceFile[]): Violations {
  const doors = new Map<string, Set<string>>();
  const violations: string[] = [];
  for (const file of files) {
    for (const { specifier } of file.imports) {
      if (specifier.startsWith(".") || isNodeModule(specifier)) continue;
      const name = packageOf(specifier);
      if (name === SCHEMA_PACKAGE) {
        if (!SCHEMA_FILES.some((pattern) => pattern.test(file.path))) violations.push(`${file.path}: not a place where ${name} decodes foreign data`);
      } else doors.set(name, (doors.get(name) ?? new Set()).add(file.layer));
    }
  }
  for (const [name, layers] of doors) if (layers.size > 1) violations.push(`${name}: imported from ${[...layers].toSorted().join(" and ")}; it has one door`);
  return violations;
}

/** Each package that is imported, with its folders. */
export function doorsOf(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const doors = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { specifier } of file.imports) {
      if (specifier.startsWith(".") || isNodeModule(specifier)) continue;
      doors.set(packageOf(specifier), (doors.get(packageOf(specifier)) ?? new Set()).add(file.layer));
    }
  }
  return doors;
}

/** Tools import no module of Node.js that acts and no package but the schema library, and reach for nothing global. */
export function ambientAuthority(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => HANDLE_ONLY_LAYERS.has(file.layer))
    .flatMap((file) => {
      const foreign = file.imports.filter(({ specifier, target }) => target === null && !HARMLESS_MODULES.has(specifier));
      const word = AMBIENT_TOOL_WORDS.exec(file.code);
      return [
        ...foreign.map(({ specifier }) => `${file.path}: a tool must not import ${specifier}`),
        ...(word === null ? [] : [`${file.path}: a tool must not use ${word[0]}`]),
      ];
    });
}

/** The gate is the only door: nothing else makes the proof that something was authorised. */
export function permitsFromElsewhere(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => file.layer !== "gate" && /\bnew\s+Permit\s*\(|\bextends\s+Permit\b|\bReflect\.construct\s*\(/.test(file.code))
    .map((file) => `${file.path}: only src/gate issues permits`);
}

/** A computed import cannot be judged by any of these laws. */
export function computedImports(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => file.imports.some(({ specifier }) => specifier === "(computed)"))
    .map((file) => `${file.path}: imports what only a run can tell`);
}

/**
 * An import of `node:http` reads every name that it exports, and `WebSocket` among them loads all of undici: 40 ms of processor time in each
 * process. `process.getBuiltinModule` reads what is asked for.
 */
export function slowImports(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => file.imports.some(({ specifier, isTypeOnly }) => /^(?:node:)?http$/u.test(specifier) && !isTypeOnly))
    .map((file) => `${file.path}: takes what it needs of process.getBuiltinModule("node:http")`);
}

/** What a person types to look, or to stop everything: it answers at once. */
const LOOKS = ["src/cli/commands/runs.ts", "src/cli/commands/inbox.ts", "src/cli/commands/stop-switch.ts", "src/cli/commands/audit/tail.ts"];
const HEAVY = /^src\/(?:programs|shell|tools(?!\/contract)|agent|providers)\//u;

/** A look at the state loads nothing of what reads commands, works or asks a model: that is ten times as much as the look itself. */
export function heavyLooks(files: readonly SourceFile[]): Violations {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return LOOKS.flatMap((look) => {
    const loaded = new Set([look]);
    for (const path of loaded)
      for (const { target, isTypeOnly, isLazy } of byPath.get(path)?.imports ?? []) if (target !== null && !isTypeOnly && !isLazy) loaded.add(target);
    return [...loaded].filter((path) => HEAVY.test(path)).map((path) => `${look}: loads ${path}, which an import() where it is needed would spare`);
  });
}

/** A file has one idea. */
export function longFiles(files: readonly SourceFile[]): Violations {
  return files.filter((file) => file.lines > MAX_LINES).map((file) => `${file.path}: ${file.lines} lines, at most ${MAX_LINES}`);
}

/** Names are kebab-case nouns that say what the file is. */
export function badNames(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => {
      const name = file.path.split("/").at(-1) ?? "";
      return !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.d|\.test)?\.ts$/.test(name) || BANNED_NAMES.test(name);
    })
    .map((file) => `${file.path}: a file is named by a kebab-case noun, and none of manager, helper, util, service, handler`);
}

/** Files that need each other are one file, or something stands in the wrong one. Types count: who reads a file reads its types first. */
export function importCycles(files: readonly SourceFile[]): Violations {
  const edges = new Map(files.map((file) => [file.path, file.imports.flatMap(({ target }) => (target === null ? [] : [target]))]));
  const finished = new Set<string>();
  const violations: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      violations.push([...trail.slice(start), path].join(" → "));
      return;
    }
    if (finished.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const file of files) visit(file.path, []);
  return violations;
}

function isNodeModule(specifier: string): boolean {
  return (
    specifier.startsWith("node:") ||
    ["fs", "child_process", "net", "http", "https", "os", "path", "crypto", "tls", "dgram", "worker_threads"].includes(specifier.split("/")[0] ?? "")
  );
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
