import type { KeyObject } from "node:crypto";
import { guarded } from "../../store/files/fault.ts";
import { readLines, type LinesEnd } from "./archive-lines.ts";
import { sealLine } from "../chain/archive-seal.ts";
import type { AuditBase } from "../chain/base.ts";
import { auditChain, type AuditChain, type Report } from "../chain/chain.ts";
import { genesisHash } from "../log/log.ts";
import { parseJson } from "../chain/record.ts";
import type { AuditRecord } from "../entries/entry.ts";

/** Records that were moved into a file, and whether the file is there and as it was written. */
export type ArchiveState = { readonly first: number; readonly last: number; readonly file: string; readonly state: "whole" | "touched" | "absent" };

type Claim = { readonly first: number; readonly last: number; readonly file: string; readonly sha256: string };

export type Archives = { take(record: AuditRecord): void; list(): readonly ArchiveState[] };

/**
 * Collects what the log says was archived, and checks each file: against the record, against its seal, and each record in it. `base`: what the archived
 * part must end with.
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
  const lines = guarded("audit-unavailable", `The archive ${claim.file} cannot be read`, () => readLines(claim.file));
  if (lines === null) return { state: "absent", claims: [], before: null };
  const read = guarded("audit-unavailable", `The archive ${claim.file} cannot be read`, () => readArchive(lines, claim, key));
  lines.return({ sha256: "", isTooLong: false });
  const touched = (what: string): Judged => {
    report(claim.last, `the archive ${claim.file} was touched: ${what}`);
    return { state: "touched", claims: [], before: null };
  };
  if (typeof read === "string") return touched(read);
  const { start, seal } = read;
  if (read.last?.seq !== claim.last || read.last.hash !== end.hash) return touched(`it does not end with record ${claim.last}`);
  if (claim.first === 1 && start !== genesisHash(key)) return touched("its first record follows another");
  if (seal !== sealLine({ first: claim.first, last: claim.last, previous: start, lastHash: end.hash }, key))
    return touched("its seal is not for these records");
  // Last, since the lines say more: what is left is a byte that changes no meaning.
  if (read.sha256 !== claim.sha256) return touched("it is not byte for byte what was written");
  return { state: "whole", claims: read.claims, before: claim.first === 1 ? null : { seq: claim.first - 1, hash: start } };
}

type Row = { readonly seq: number; readonly record: string; readonly hash: string };

type ReadArchive = {
  /** What the first record follows. */
  readonly start: string;
  readonly last: Row | null;
  /** The last line. */
  readonly seal: string;
  readonly claims: readonly Claim[];
  readonly sha256: string;
};

/** Goes through the lines once, a line behind, for the last one is the seal. Gives what is wrong with them as a text. */
function readArchive(lines: Generator<string, LinesEnd, void>, { first }: Claim, key: KeyObject): ReadArchive | string {
  const problems: string[] = [];
  const claims: Claim[] = [];
  let chain: AuditChain | null = null;
  let start: string | null = null;
  let last: Row | null = null;
  let line: string | null = null;
  let next = lines.next();
  for (; next.done !== true; next = lines.next()) {
    if (line !== null) {
      last = rowOf(line);
      start ??= last === null ? null : previousOf(last.record);
      if (last === null || start === null) return "a line is not in its form";
      chain ??= auditChain({ seq: first - 1, hash: start }, key, (seq, what) => problems.push(`record ${seq}: ${what}`));
      claims.push(...claimsOf(chain.take(last)));
      if (problems[0] !== undefined) return problems[0];
    }
    line = next.value;
  }
  if (next.value.isTooLong) return "a line is longer than any that is written";
  if (start === null || line === null) return "a line is not in its form";
  return { start, last, seal: line, claims, sha256: next.value.sha256 };
}

function claimsOf(record: AuditRecord | null): readonly Claim[] {
  if (record?.kind !== "log-archived") return [];
  const { first, last, file, sha256: digest } = record.payload;
  if (typeof first !== "number" || typeof last !== "number" || typeof file !== "string" || typeof digest !== "string") return [];
  return [{ first, last, file, sha256: digest }];
}

function rowOf(line: string): Row | null {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null || !("seq" in value) || !("record" in value) || !("hash" in value)) return null;
  const { seq, record, hash } = value;
  return typeof seq === "number" && typeof record === "string" && typeof hash === "string" ? { seq, record, hash } : null;
}

function previousOf(record: string): string | null {
  const value = parseJson(record);
  return typeof value === "object" && value !== null && "previous" in value && typeof value.previous === "string" ? value.previous : null;
}
