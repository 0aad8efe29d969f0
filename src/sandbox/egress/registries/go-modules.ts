/**
 * Hosts of Go modules where a name must be somebody's repository, or a project's own. A module at any other host makes the proxy of modules ask that host,
 * which may be anybody's and may have every name: https://go.dev/ref/mod#serving-from-proxy
 */
const KNOWN: ReadonlySet<string> = new Set(
  `bitbucket.org cloud.google.com codeberg.org connectrpc.com contrib.go.opencensus.io cuelang.org dario.cat entgo.io filippo.io git.sr.ht github.com gitlab.com
  go.etcd.io go.mongodb.org go.opencensus.io go.opentelemetry.io go.starlark.net go.temporal.io go.uber.org go.yaml.in go4.org gocloud.dev golang.org
  golang.zx2c4.com gonum.org google.golang.org gopkg.in gorm.io gotest.tools gvisor.dev helm.sh honnef.co istio.io k8s.io knative.dev lukechampine.com modernc.org
  mvdan.cc nhooyr.io oras.land pgregory.net rsc.io sigs.k8s.io tailscale.com xorm.io`.split(/\s+/u),
);

/** The module that a path below a proxy's address is about, as `MODULE@VERSION`, where its host may be anybody's; null for every other. */
export function strangersModule(path: string): string | null {
  const [, module, asked = ""] = /^(?:(?:sumdb\/[^/]+\/)?lookup\/)?(.+?)(?:\/@v\/|\/@|@)(.*)$/u.exec(path) ?? [];
  if (module === undefined || KNOWN.has(module.split("/")[0] ?? "")) return null;
  return `${module}@${asked.replace(/^(?:list|latest)$/u, "").replace(/\.(?:info|mod|zip)$/u, "")}`;
}
