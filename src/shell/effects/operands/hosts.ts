import type { Condition, HostOperand, SimpleCommand, Word } from "../../model/model.ts";
import { literalPrefix } from "../../model/words.ts";

/** A host that the command names, and whether what is sent there is not known beforehand. `through`: it is named where this is so alone. */
export type NamedHost = { readonly host: HostOperand; readonly isTainted: boolean; readonly word: Word; readonly through?: Condition };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The host of a URL or of `host[:port][/path]`. A host is only literal when the known text goes beyond
 * it: `https://a.example$x` may end up at `a.example.attacker.test`.
 */
export function hostOf(word: Word): NamedHost {
  const text = literalPrefix(word);
  const isOpen = word.kind !== "literal";
  const authority = text.replace(SCHEME, "");
  const end = authority.search(/[/?#]/);
  if (isOpen && end < 0) return { host: { kind: "dynamic", prefix: text }, isTainted: true, word };
  const netloc = end < 0 ? authority : authority.slice(0, end);
  const host = parseNetloc(netloc, SCHEME.exec(text)?.[0].toLowerCase() ?? "");
  // Brackets and braces make curl ask several hosts; what is no plain host is not resolved here.
  if (host === null) return { host: { kind: "dynamic", prefix: text }, isTainted: true, word };
  // A `?` in a URL makes it a pattern for the shell; it still only becomes a name of a file, if anything.
  return { host, isTainted: word.kind === "dynamic", word };
}

const BRACKETED = /^([a-z][a-z0-9+.-]*:)\/\/(\[[0-9a-f:.]+\](?::\d{1,5})?)(?=[/?#]|$)/i;

/**
 * The hosts of a URL. An address in brackets that is not quoted (`http://[::1]:3000/`) is a pattern to the shell: whatever matches it lies in a directory
 * called `http:`, and where there is none the word stays as it is.
 */
export function hostsOf(word: Word, { cwd, via }: Pick<SimpleCommand, "cwd" | "via">): readonly NamedHost[] {
  const named = hostOf(word);
  // Behind a wrapper, the shell stood elsewhere when it looked. The name of a file that a loop found is a file's.
  if (word.kind !== "pattern" || word.root !== undefined || word.isSingle === true || cwd.kind !== "known" || via.length > 0) return [named];
  const [, scheme = "", netloc = ""] = BRACKETED.exec(word.glob) ?? [];
  const host = parseNetloc(netloc, `${scheme.toLowerCase()}//`);
  if (host === null) return [named];
  const files = [`${cwd.path.replace(/\/$/, "")}/${scheme}`];
  return [
    { host, isTainted: false, word },
    { ...named, through: { kind: "files", directory: cwd.path, files, homeFiles: [] } },
  ];
}

const PORTS: Readonly<Record<string, number>> = { "https://": 443, "http://": 80, "ftp://": 21, "ssh://": 22, "git://": 9418 };

function parseNetloc(netloc: string, scheme: string): HostOperand | null {
  const at = netloc.lastIndexOf("@");
  const match = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(netloc.slice(at + 1));
  // A backslash or a second `@` is read differently by different programs.
  if (match === null || netloc.includes("\\") || netloc.indexOf("@") !== at) return null;
  const host = (match[1] ?? "").replace(/^\[|\]$/g, "").toLowerCase();
  return { kind: "literal", host, port: match[2] === undefined ? (PORTS[scheme] ?? null) : Number(match[2]) };
}

/** The host of `user@host`, `host:path` (scp, rsync, git) or a bare host. */
export function remoteHostOf(word: Word): NamedHost {
  if (word.kind !== "literal") return { host: { kind: "dynamic", prefix: literalPrefix(word) }, isTainted: true, word };
  if (SCHEME.test(word.value)) return hostOf(word);
  const host = /^(?:[^@/:]*@)?(\[[0-9a-f:.]+\]|[\w.-]+)(?::.*)?$/is.exec(word.value)?.[1];
  if (host === undefined) return { host: { kind: "dynamic", prefix: "" }, isTainted: true, word };
  return { host: { kind: "literal", host: host.toLowerCase(), port: null }, isTainted: false, word };
}

/** Whether an operand of scp, rsync or git names another machine: a `:` before the first `/`. */
export function isRemotePath(text: string): boolean {
  return SCHEME.test(text) || /^[^/]*:/.test(text);
}

/** The types and classes of DNS records (BIND 9.18, lib/dns) that dig takes for no name wherever they stand. */
const RECORDS = /^(?:A|AAAA|ANY|CAA|CNAME|DNSKEY|DS|HINFO|HTTPS|LOC|MX|NAPTR|NS|NSEC|NSEC3|PTR|RRSIG|SOA|SPF|SRV|SSHFP|SVCB|TLSA|TXT|URI|IN|CH|HS)$/i;

/** Whether dig and its like take a word for what is asked of a name, and not for a name. */
export function isRecordType(word: Word): boolean {
  return word.kind === "literal" && RECORDS.test(word.value);
}
