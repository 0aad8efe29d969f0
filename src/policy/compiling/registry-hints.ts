import type { RegistryName } from "../network.ts";
import type { PolicyStatement } from "../language/statement.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";

/** Words in the names of registries' hosts. */
const WORDS: Readonly<Record<string, RegistryName>> = {
  npm: "npm",
  npmjs: "npm",
  pypi: "pypi",
  pythonhosted: "pypi",
  debian: "debian",
  crates: "crates",
  goproxy: "go",
  maven: "maven",
};

/** Where a file opens what looks like a registry's host: there is a narrower way, and it leaves the profile sealed. */
export function registryHints({ values: { network } }: PolicyStatement): readonly PolicyDiagnostic[] {
  if (network === undefined) return [];
  return network.value.flatMap(({ host }) => {
    const registry = host.split(/[.:]/u).flatMap((word) => (Object.hasOwn(WORDS, word) ? (WORDS[word] ?? []) : []))[0];
    if (registry === undefined) return [];
    return [
      warningAt(
        network.at,
        "open-registry",
        `\`${host}\` looks like a registry of packages: as a host it takes whatever a command sends, and the profile is not sealed.`,
        {
          remedy: `To install packages, write \`registries: [${registry}]\` in place of it.`,
        },
      ),
    ];
  });
}
