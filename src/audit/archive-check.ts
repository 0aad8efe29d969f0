import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { sha256 } from "../base/digest.ts";
import { sealLine } from "./archive-seal.ts";
import type { AuditBase } from "./audit-base.ts";
import { auditChain, type Report } from "./audit-chain.ts";
import { genesisHash } from "./audit-log.ts";
import { parseJson } from "./audit-record.ts";
import type { AuditRecord } from "./entry.ts";

/** Records that were moved into a file, and whether the file is there and as it was written. */
export type ArchiveState = { readonly first: number; readonly last: number; readonly file: string; readonly state: "whole" | "touched" | "absent" };

type Claim = { readonly first: number; readonly last: number; readonly file: string; readonly sha256: string };

export type Archives = { take(record: AuditRecord): void; list(): readonly ArchiveState[] };

/**
 * Follows the records of the log for those that say what was archived, and judges the files that they name: against the
 * record, against their seals, and each record in them. `base`: what the archived part must end with.
 */
export function archivesOf(base: AuditBase | null, key: KeyObject, report: Report): Archives {
  const claims: Claim[] = [];
  return {
    take: (record) => {
      claims.push(...claimsOf(record));
    },
    list: () => {
      const states: ArchiveState[] = [];
      // Each archive's records name the archives before it, so the way goes from the newest to the first.
      for (let end = base; end !== null && end.seq > 0;) {
        const { seq } = end;
        const claim = claims.find(({ last }) => last === seq);
        if (claim === undefined) {
          report(seq, `the records up to ${seq} were archived, and no record says where`);
          break;
        }
        const judged = judgeFile(claim, end, key, report);
        states.push({ first: claim.first, last: claim.last, file: claim.file, state: judged.state });
        claims.push(...judged.claims);
        end = judged.before;
      }
      return states;
    },
  };
}

type Judged = { readonly state: ArchiveState["state"]; readonly claims: readonly Claim[]; readonly before: AuditBase | null };

function judgeFile(claim: Claim, end: AuditBase, key: KeyObject, report: Report): Judged {
  const text = readIfThere(claim.file);
  if (text === null) return { state: "absent", claims: [], before: null };
  const touched = (what: string): Judged => {
    report(claim.last, `the archive ${claim.file} was touched: ${what}`);
    return { state: "touched", claims: [], before: null };
  };
  const lines = text.split("\n");
  const rows = lines.slice(0, -2).map(rowOf);
  const start = rows[0] === undefined || rows[0] === null ? null : previousOf(rows[0].record);
  if (start === null || rows.includes(null)) return touched("a line is not in its form");
  const problems: string[] = [];
  const chain = auditChain({ seq: claim.first - 1, hash: start }, key, (seq, what) => problems.push(`record ${seq}: ${what}`));
  const earlier = rows.flatMap((row) => (row === null ? [] : claimsOf(chain.take(row))));
  if (problems[0] !== undefined) return touched(problems[0]);
  if (chain.seq() !== claim.last || rows.at(-1)?.hash !== end.hash) return touched(`it does not end with record ${claim.last}`);
  if (claim.first === 1 && start !== genesisHash(key)) return touched("its first record follows another");
  if (lines.at(-2) !== sealLine({ first: claim.first, last: claim.last, previous: start, lastHash: end.hash }, key))
    return touched("its seal is not for these records");
  // Last, since the lines say more: what is left is a byte that changes no meaning.
  if (sha256(text) !== claim.sha256) return touched("it is not byte for byte what was written");
  return { state: "whole", claims: earlier, before: claim.first === 1 ? null : { seq: claim.first - 1, hash: start } };
}

function claimsOf(record: AuditRecord | null): readonly Claim[] {
  if (record?.kind !== "log-archived") return [];
  const { first, last, file, sha256: digest } = record.payload;
  if (typeof first !== "number" || typeof last !== "number" || typeof file !== "string" || typeof digest !== "string") return [];
  return [{ first, last, file, sha256: digest }];
}

function rowOf(line: string): { readonly seq: number; readonly record: string; readonly hash: string } | null {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null || !("seq" in value) || !("record" in value) || !("hash" in value)) return null;
  const { seq, record, hash } = value;
  return typeof seq === "number" && typeof record === "string" && typeof hash === "string" ? { seq, record, hash } : null;
}

function previousOf(record: string): string | null {
  const value = parseJson(record);
  return typeof value === "object" && value !== null && "previous" in value && typeof value.previous === "string" ? value.previous : null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
