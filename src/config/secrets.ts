import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { AgentError } from "../base/errors.ts";
import type { Credential, SecretSource } from "../policy/network.ts";

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 4096;

/**
 * The values of a policy's secrets, by the credential's id. Throws `bad-configuration` for one that is missing, that others may read, or that
 * could not be told from ordinary text; the message never holds a value.
 */
export function readSecrets(credentials: readonly Credential[], environment: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  return new Map(credentials.map(({ id, secret }) => [id, readSecret(`The credential ${id}`, secret, environment)]));
}

/** One secret; `what` names it in messages. Throws as {@link readSecrets}. */
export function readSecret(what: string, secret: SecretSource, environment: Readonly<Record<string, string | undefined>>): string {
  const place = secret.kind === "variable" ? `the variable ${secret.name}` : `the file ${secret.path}`;
  const fail = (why: string): never => {
    throw new AgentError("bad-configuration", `${what} cannot be used: ${place} ${why}.`);
  };
  return vouchedFor(readSource(secret, environment, fail), fail);
}

/** A value that can be told from ordinary text. `fail` is told what is wrong with another, without the value. */
export function vouchedFor(value: string, fail: (what: string) => never): string {
  if (value.length < MIN_CHARACTERS || value.length > MAX_CHARACTERS)
    fail(`holds ${String(value.length)} characters; a secret has ${String(MIN_CHARACTERS)} to ${String(MAX_CHARACTERS)}`);
  if (!/^[\x21-\x7e]+$/u.test(value)) fail("holds more than visible ASCII characters");
  return value;
}

function readSource(source: SecretSource, environment: Readonly<Record<string, string | undefined>>, fail: (what: string) => never): string {
  if (source.kind === "variable") return environment[source.name] ?? fail("is not set");
  let descriptor: number;
  try {
    // No link: whoever may write beside the file could make it mean another one.
    descriptor = openSync(source.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "") throw error;
    return fail(code === "ENOENT" ? "is not there" : code === "ELOOP" ? "is a link" : `cannot be opened (${code})`);
  }
  try {
    const fault = faultOf(fstatSync(descriptor));
    return fault === null ? readFileSync(descriptor, "latin1").replace(/\r?\n$/u, "") : fail(fault);
  } finally {
    closeSync(descriptor);
  }
}

function faultOf(status: Stats): string | null {
  if (!status.isFile()) return "is no regular file";
  const own = process.getuid?.();
  if (status.uid !== 0 && status.uid !== own) return "belongs to somebody else";
  if ((status.mode & 0o077) !== 0) return `may be read or changed by others (mode ${(status.mode & 0o777).toString(8)}); run: chmod 600 on it`;
  // By another name it could lie where commands read.
  if (status.nlink > 1) return "has other names (hard links)";
  return status.size > 2 * MAX_CHARACTERS ? "is too long" : null;
}
