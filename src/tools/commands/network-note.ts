import type { RefusedConnection } from "../../sandbox/egress/traffic/refused-connections.ts";
import type { ActionResult } from "../../sandbox/outcome.ts";

type ExecResult = Extract<ActionResult, { kind: "exec" }>;

/**
 * What programs print when they find no network: the resolver's words (getaddrinfo(3)), the kernel's (ENETUNREACH), those of npm, pip, uv, Yarn, Cargo, Go and
 * Composer where they are told that there is none.
 */
const NO_NETWORK =
  /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ENOTCACHED|YN0080)\b|[Nn]ame resolution|failure resolving|[Nn]ame or service not known|[Cc]ould not resolve|[Cc]ouldn't resolve|[Uu]nable to resolve host|[Nn]etwork (?:is|was) (?:unreachable|disabled)|UnknownHostException|no such host|dial tcp: lookup|\(from versions: none\)|GOPROXY=off|offline (?:was specified|mode)|[Nn]etwork connectivity is disabled/u;

const ASK =
  "A person can open hosts in the policy (sandbox.network.allow), or, where it is about packages, their registries, and it stays sealed (sandbox.network.registries).";

export const WITHOUT_NETWORK = `This policy gives its sandbox no network, so nothing can be fetched. Use what is in the workspace and in the image. ${ASK}`;

/** What helps against a refusal; against every other, a request that is written otherwise. */
const REMEDIES: Readonly<Record<string, string>> = {
  "host-not-allowed": ASK,
  "not-resolved": "Look whether the name is right.",
  "private-address": "A person can list the address beside the name: sandbox.network.allow.",
  "request-not-allowed": "A person can allow its method and path: sandbox.network.allow.",
  "credential-needs-tls": "Ask over https.",
  "credential-scope": "A person can name the method and path of a credential: sandbox.network.credentials.",
  "credential-refused": "A person can see what is left, and end a stop: warder budgets, warder start.",
  "registry-names": "Ask for packages that are there. What the run still needs, a person prepares in an image.",
  "rate-limit": "Wait a minute. A person can raise it: sandbox.network.limits.",
  "connection-limit": "Open fewer at once. A person can raise it: sandbox.network.limits.",
  "bytes-spent": "A person can raise it: sandbox.network.limits.",
  "too-many-connections": "Nothing more is reached in this run.",
  "stop-switch": "A person can end it: warder start.",
};
const OTHERWISE = "Write the request otherwise: no policy lets it through like this.";

/** What a command's network had to do with its end, a line each; empty where it had nothing. Not a program's words but Warder's. */
export function networkNotes({ exitCode, stdout, stderr, network }: ExecResult): readonly string[] {
  if (network === undefined) return [];
  // Also where the command ends well: curl does if the answer is a refusal, and `apt-get update` if nothing could be fetched.
  if (network !== "none") return network.map(refusalNote);
  const texts = exitCode === 0 ? [stderr.text] : [stderr.text, stdout.text];
  return texts.some((text) => NO_NETWORK.test(text)) ? [WITHOUT_NETWORK] : [];
}

/** Why a host was not reached, and what helps. */
export function refusalNote({ target, code, reason }: RefusedConnection): string {
  return `Warder refused ${target}: ${reason} (${code}). ${REMEDIES[code] ?? OTHERWISE}`;
}
