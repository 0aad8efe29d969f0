import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { opening } from "../matching/network-entries.ts";
import { isWithin } from "../matching/paths.ts";
import type { Policy } from "../policy.ts";

/** What is wrong with the credentials of a whole policy: settings that would not be held, or that would hand the secret to the sandbox. */
export function credentialProblems(policy: Omit<Policy, "digest" | "files">): readonly PolicyDiagnostic[] {
  const { network, env } = policy.sandbox;
  const at = policy.positions?.get("sandbox.network.credentials") ?? { file: policy.name, line: 1, column: 1 };
  const writable = policy.workspace.roots.filter((root) => root.access === "read-write").map((root) => root.path);
  const places = policy.workspace.path === undefined ? writable : [policy.workspace.path, ...writable];
  return (network.credentials ?? []).flatMap(({ id, host, port, secret }) => {
    const problems: PolicyDiagnostic[] = [];
    const say = (message: string, more: { why?: string; remedy?: string }): void =>
      void problems.push(errorAt(at, `The credential \`${id}\` ${message}.`, more));
    if (opening(network, host, port) === null)
      say(`is for ${host}:${String(port)}, which \`allow\` does not open`, {
        why: "A credential opens no host, so it would never be used.",
        remedy: "List the host, or leave the credential out (`credentials: []` for those of a parent).",
      });
    if (secret.kind === "variable" && env.includes(secret.name))
      say(`takes its secret from ${secret.name}, which \`sandbox.env\` passes into the sandbox`, { remedy: "Leave the variable out of `sandbox.env`." });
    const place = secret.kind === "file" ? places.find((root) => isWithin(secret.path, root)) : undefined;
    if (place !== undefined)
      say(`takes its secret from a file below ${place}, where commands work`, { remedy: "Keep it elsewhere, such as in `~/.config/warder/secrets/`." });
    return problems;
  });
}
