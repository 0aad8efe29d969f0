import type { SourcePosition } from "../decision.ts";
import type { PolicyStatement } from "../language/statement.ts";
import { credentialsOf, opening, scopeCovers } from "../matching/network-entries.ts";
import { isWithin } from "../matching/paths.ts";
import type { Credential, NetworkSettings } from "../network.ts";
import type { Policy } from "../policy.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";

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

/**
 * Credentials that a child drops although they kept a host closed. A credential with `otherwise: refuse` closes its host to every request that no
 * credential names. If the child leaves it out or states another one, those requests would be open. `statements`: one a file, the child's first.
 */
export function lostCredentialProblems(statements: readonly PolicyStatement[], policy: Pick<Policy, "sandbox" | "positions">): readonly PolicyDiagnostic[] {
  const { network } = policy.sandbox;
  return statements.flatMap(({ values: { credentials } }) => {
    if (credentials === undefined) return [];
    const { value, at } = credentials;
    const keeping = value.filter(({ host, port, otherwise }, index) => otherwise === "refuse" && value.findIndex(isRefusingAt(host, port)) === index);
    return keeping.filter((credential) => opensMore(network, credential, value)).map((credential) => lossOf(credential, at, policy));
  });
}

function isRefusingAt(host: string, port: number): (credential: Credential) => boolean {
  return (credential) => credential.host === host && credential.port === port && credential.otherwise === "refuse";
}

/** Whether requests go to the credential's host and port that none of `stated` names, and no credential refuses. */
function opensMore(network: NetworkSettings, { host, port }: Credential, stated: readonly Credential[]): boolean {
  const open = opening(network, host, port);
  if (open === null || credentialsOf(network, host, port).some(({ otherwise }) => otherwise === "refuse")) return false;
  const named = credentialsOf({ allow: [], credentials: stated }, host, port);
  return open === "whole" || !open.every((entry) => named.some((credential) => scopeCovers(credential, entry)));
}

function lossOf({ id, host, port }: Credential, at: SourcePosition, { positions, sandbox }: Pick<Policy, "sandbox" | "positions">): PolicyDiagnostic {
  const where = `${host}:${String(port)}`;
  const what = (sandbox.network.credentials ?? []).length === 0 ? "none is left" : "it is not left";
  return errorAt(
    positions?.get("sandbox.network.credentials") ?? at,
    `The credential \`${id}\` (${at.file}:${String(at.line)}) refuses what no credential of ${where} names, and of what both files state ${what}: all of that would be open.`,
    {
      why: "A policy can only tighten what it extends.",
      remedy: `State the credential here, too, or open of ${host} under \`allow\` no more than its methods and paths, or not at all.`,
    },
  );
}
