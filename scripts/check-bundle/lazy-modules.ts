import { join } from "node:path";
import type { Plugin } from "rolldown";

/** Modules that `warder check` needs only now and then, by their path or package, with their functions that something calls. */
const LAZY: Readonly<Record<string, readonly string[]>> = {
  "@babel/code-frame": ["codeFrameColumns"],
  "src/base/digest.ts": ["canonicalJson", "digestOf", "sha256"],
  "src/config/settings.ts": ["settingsIn"],
  "src/policy/language/document.ts": ["readPolicyDocument"],
  "src/tools/decode.ts": ["decodeInput"],
  "src/tools/registry.ts": ["createRegistry"],
};

/** The bundles that hold them: what needs the schemas of policies and tools, and what needs Node.js's cryptography. */
export const LAZY_BUNDLES = ["rare", "digest"] as const;
const bundleOf = (name: string): (typeof LAZY_BUNDLES)[number] => (name === "src/base/digest.ts" ? "digest" : "rare");
const STUB = "\0stub:";

/**
 * Puts a stub in the place of each lazy module: functions of the same names, which load the bundle that holds it when the first of them is
 * called, and call theirs. `stubs` replaces the text of a stub. What is no function of the list cannot be imported, which fails the build.
 */
export function lazyModules(root: string, stubs: Readonly<Record<string, string>>): Plugin {
  const nameOf = (path: string): string | undefined => Object.keys(LAZY).find((name) => path === name || path === join(root, name));
  return {
    name: "lazy-modules",
    async resolveId(id, importer, options) {
      if (isLazyBundle(id)) return id;
      if (LAZY_BUNDLES.some((bundle) => id === fileOf(bundle))) return { id, external: true };
      if (importer === undefined || isLazyBundle(importer)) return null;
      const resolved = id.startsWith(".") ? (await this.resolve(id, importer, { ...options, skipSelf: true }))?.id : id;
      const name = resolved === undefined ? undefined : nameOf(resolved);
      return name === undefined ? null : `${STUB}${name}`;
    },
    load(id) {
      if (isLazyBundle(id))
        return Object.entries(LAZY)
          .filter(([name]) => bundleOf(name) === id)
          .map(([name, functions]) => `export { ${functions.join(", ")} } from ${quoted(root, name)};`)
          .join("\n");
      if (!id.startsWith(STUB)) return null;
      const name = id.slice(STUB.length);
      return (
        stubs[name] ??
        (LAZY[name] ?? []).map((each) => `export function ${each}(...words) { return require("${fileOf(bundleOf(name))}").${each}(...words); }`).join("\n")
      );
    },
  };
}

function isLazyBundle(id: string): boolean {
  return (LAZY_BUNDLES as readonly string[]).includes(id);
}

function fileOf(bundle: string): string {
  return `./${bundle}.cjs`;
}

function quoted(root: string, name: string): string {
  return JSON.stringify(name.startsWith("src/") ? join(root, name) : name);
}
