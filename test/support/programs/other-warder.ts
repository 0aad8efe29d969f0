import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The command line that tests start: their bundle, or the sources. */
function commandLine(): string {
  const bundle = join(dirname(process.env["TEST_WARDER"] ?? ""), "main.mjs");
  return process.env["TEST_WARDER"] !== undefined && existsSync(bundle) ? bundle : join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.ts");
}

/**
 * Writes a program that is another Warder: this one's code and tables, with some texts of them replaced as they are loaded. `first`: lines of shell that it begins with.
 * Gives its path.
 */
export function otherWarder(directory: string, replaced: Readonly<Record<string, string>>, first = ""): string {
  const hooks = join(directory, "replace.mjs");
  writeFileSync(
    hooks,
    `import { registerHooks } from "node:module";
const replaced = Object.entries(${JSON.stringify(replaced)});
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (loaded.source === null || loaded.source === undefined) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source).toString("utf8");
    return replaced.some(([was]) => source.includes(was)) ? { ...loaded, source: replaced.reduce((text, [was, is]) => text.replaceAll(was, () => is), source) } : loaded;
  },
});
`,
  );
  return program(directory, "other-warder", `${first}\nexec '${process.execPath}' --import '${pathToFileURL(hooks).href}' '${commandLine()}' "$@"`);
}

/** Writes a program of shell. Gives its path. */
export function program(directory: string, name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}
