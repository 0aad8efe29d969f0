import { closeSync, fstatSync, fsyncSync, linkSync, readdirSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { AgentError } from "../base/errors.ts";
import { ifThere, openNew, openOwn } from "../store/files/regular-file.ts";
import { syncDirectory } from "../store/files/state-files.ts";
import type { Approvals } from "./approvals.ts";

/** A one-time code as a person typed it. */
export type TypedCode = { readonly person: string; readonly code: string };

export type CodeVerdict = { readonly kind: "right"; readonly counter: number } | { readonly kind: "wrong"; readonly reason: string };

const PERSON = /^[a-z][a-z0-9-]{0,31}$/u;
const FILE = /^approver-(?<person>[a-z][a-z0-9-]{0,31})\.secret$/u;
/** RFC 6238 with what every authenticator app assumes: SHA-1, six digits, thirty seconds. */
const SETTINGS = { issuer: "Warder", algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** A code of the period before or after counts too: clocks differ. */
const WINDOW = 1;
/** A million codes, three of them right at a time: so many tries in so long make guessing hopeless. */
const MAX_FAILURES = 5;
const LOCKED_MS = 15 * 60 * 1_000;

/** Who is enrolled, sorted. */
export function enrolledPeople({ store }: Approvals): readonly string[] {
  return enrolledPeopleIn(store.paths.keys);
}

function enrolledPeopleIn(keys: string): readonly string[] {
  return readdirSync(keys)
    .flatMap((name) => FILE.exec(name)?.groups?.["person"] ?? [])
    .toSorted();
}

/**
 * Makes a person's secret and returns it as an `otpauth:` URI for an authenticator app, to be shown once. Throws `usage` for a name that is
 * none or taken: a secret is never replaced.
 */
export function enroll({ store }: Approvals, person: string): string {
  if (!PERSON.test(person))
    throw new AgentError("usage", "A name has lower-case letters, digits and dashes, begins with a letter, and has at most 32 of them.");
  const secret = new Secret({ size: SECRET_BYTES });
  const path = secretPath(store.paths.keys, person);
  const temporary = `${path}.${process.pid}.new`;
  const file = openNew(temporary);
  try {
    writeSync(file, secret.base32);
    fsyncSync(file);
    // A link, not a rename: it never replaces a secret that is there.
    linkSync(temporary, path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw new AgentError("usage", `${person} is enrolled already. To enrol anew: warder approvals unenroll ${person}`, { cause: error });
    throw error;
  } finally {
    closeSync(file);
    unlinkSync(temporary);
  }
  syncDirectory(store.paths.keys);
  // What was used and tried was of another secret. Where the clock was ahead then, no code of this one would be newer for as long.
  store.codes.forget(person);
  return totpOf(person, secret).toString();
}

/** Removes a person's secret: no code of theirs counts any more. Throws `usage` when there is none. */
export function unenroll({ store }: Approvals, person: string): void {
  const isThere = enrolledPeopleIn(store.paths.keys).includes(person);
  if (!isThere) throw new AgentError("usage", `Nobody of the name ${JSON.stringify(person)} is enrolled.`);
  unlinkSync(secretPath(store.paths.keys, person));
  syncDirectory(store.paths.keys);
}

/** Whether a code is right now. Counts a wrong one; a right one is not used up by this. */
export function checkCode(approvals: Approvals, typed: TypedCode): CodeVerdict {
  return approvals.store.exclusively(() => judgeCode(approvals, typed));
}

/** The same, and uses it up: a code is good for one answer. The caller holds the store exclusively. */
export function spendCode(approvals: Approvals, typed: TypedCode): CodeVerdict {
  const verdict = judgeCode(approvals, typed);
  if (verdict.kind === "right" && !approvals.store.codes.use(typed.person, verdict.counter)) return { kind: "wrong", reason: "this code was used before" };
  return verdict;
}

function judgeCode({ store, clock }: Approvals, { person, code }: TypedCode): CodeVerdict {
  const nowMs = clock.nowMs();
  const before = store.codes.of(person);
  const failures = before !== null && before.failedAtMs !== null && nowMs - before.failedAtMs < LOCKED_MS ? before.failures : 0;
  if (failures >= MAX_FAILURES) return { kind: "wrong", reason: "too many wrong codes; wait a quarter of an hour" };
  const secret = readSecret(store.paths.keys, person);
  if (secret === null) return { kind: "wrong", reason: "nobody of this name is enrolled" };
  const delta = /^[0-9]{6}$/u.test(code) ? totpOf(person, secret).validate({ token: code, timestamp: nowMs, window: WINDOW }) : null;
  const counter = delta === null ? null : Math.floor(nowMs / 1_000 / SETTINGS.period) + delta;
  if (counter !== null && counter > (before?.counter ?? -1)) return { kind: "right", counter };
  store.codes.fail(person, { failures: failures + 1, nowMs });
  return { kind: "wrong", reason: counter === null ? "this is not the code" : "this code was used before" };
}

function totpOf(person: string, secret: Secret): TOTP {
  return new TOTP({ ...SETTINGS, label: person, secret });
}

function secretPath(keys: string, person: string): string {
  return join(keys, `approver-${person}.secret`);
}

/** Null when there is none. Throws `store-unavailable` when others can read it. */
function readSecret(keys: string, person: string): Secret | null {
  if (!PERSON.test(person)) return null;
  const file = ifThere(() => openOwn(secretPath(keys, person), "read", "store-unavailable"));
  if (file === null) return null;
  try {
    if ((fstatSync(file).mode & 0o077) !== 0)
      throw new AgentError("store-unavailable", `${secretPath(keys, person)} can be read by others. Set its mode to 0600, and enrol ${person} anew.`);
    return Secret.fromBase32(readFileSync(file, "utf8").trim());
  } finally {
    closeSync(file);
  }
}
