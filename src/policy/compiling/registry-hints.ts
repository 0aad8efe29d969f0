import type { RegistryName } from "../network.ts";
import type { PolicyStatement } from "../language/statement.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";

/** Hosts of registries where no mirror is configured. */
const HOSTS: Readonly<Record<string, RegistryName>> = {
  "registry.npmjs.org": "npm",
  "pypi.org": "pypi",
  "files.pythonhosted.org": "pypi",
  "deb.debian.org": "debian",
  "index.crates.io": "crates",
  "static.crates.io": "crates",
  "proxy.golang.org": "go",
  "repo.maven.apache.org": "maven",
};

/** Where a file opens a registry's host as a whole: there is a narrower way, and it leaves the profile sealed. */
export function registryHints({ values: { network } }: PolicyStatement): readonly PolicyDiagnostic[] {
  if (network === undefined) return [];
  return network.value.flatMap(({ host }) => {
    const registry = HOSTS[host.replace(/:\d+$/u, "")];
    if (registry === undefined) return [];
    return [
      warningAt(network.at, `\`${host}\` is a registry of packages: as a host it takes whatever a command sends, and the profile is not sealed.`, {
        remedy: `To install packages, write \`registries: [${registry}]\` in place of it.`,
      }),
    ];
  });
}
