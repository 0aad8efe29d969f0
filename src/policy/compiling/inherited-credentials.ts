import type { SourcePosition } from "../decision.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import type { Credential, NetworkSettings } from "../network.ts";
import { credentialsOf, opening, scopeCovers } from "../matching/network-entries.ts";
import type { Policy } from "../policy.ts";
import type { PolicyStatement } from "../language/statement.ts";

/**
 * What a credential kept closed (`otherwise: refuse`: every request to its host that no credential names) and is open where the file that extends its own
 * leaves it out, or states another one. `statements`: of each file, the child's first.
 */
export function lostCredentialProblems(statements: readonly PolicyStatement[], policy: Pick<Policy, "sandbox" | "positions">): readonly PolicyDiagnostic[] {
  const { network } = policy.sandbox;
  return statements.flatMap(({ values: { credentials } }) => {
    if (credentials === undefined) return [];
    const { value, at } = credentials;
    const keeping = value.filter(({ host, port, otherwise }, index) => otherwise === "refuse" && value.findIndex(isRefusingAt(host, port)) === index);
    return keeping.filter((credential) => opensMore(network, credential, value)).map((credential) => problem(credential, at, policy));
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

function problem({ id, host, port }: Credential, at: SourcePosition, { positions, sandbox }: Pick<Policy, "sandbox" | "positions">): PolicyDiagnostic {
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
