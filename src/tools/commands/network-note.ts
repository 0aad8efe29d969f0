import type { ActionResult } from "../../sandbox/outcome.ts";

type ExecResult = Extract<ActionResult, { kind: "exec" }>;

/**
 * What programs print when they find no network: the resolver's words (getaddrinfo(3)), the kernel's (ENETUNREACH), those of npm, pip, uv, Yarn, Cargo, Go and
 * Composer where they are told that there is none.
 */
const NO_NETWORK =
  /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ENOTCACHED|YN0080)\b|[Nn]ame resolution|[Nn]ame or service not known|[Cc]ould not resolve|[Cc]ouldn't resolve|[Uu]nable to resolve host|[Nn]etwork is (?:unreachable|disabled)|UnknownHostException|no such host|GOPROXY=off|offline (?:was specified|mode)|[Nn]etwork connectivity is disabled/u;

const ASK =
  "A person can open hosts in the policy (sandbox.network.allow), or, where it is about packages, their registries, and it stays sealed (sandbox.network.registries)";

/** What a command's network had to do with its end, a line each; empty where it had nothing. Not a program's words but Warder's. */
export function networkNotes({ exitCode, stdout, stderr, network }: ExecResult): readonly string[] {
  if (network === undefined || exitCode === 0) return [];
  if (network !== "none") return network.map(({ target, code, reason }) => `Warder refused ${target}: ${reason} (${code}). ${ASK}.`);
  return [stderr.text, stdout.text].some((text) => NO_NETWORK.test(text))
    ? [`This policy gives its sandbox no network, so nothing can be fetched. Use what is in the workspace and in the image. ${ASK}.`]
    : [];
}
