import { createHash } from "node:crypto";

const HEADER_BYTES = 12;
/** The times, numbers and the digest of an entry, and its flags, where digests are SHA-1. */
const ENTRY_BYTES = 62;
const DIGEST_BYTES = 20;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/** The file is not understood, or leaves names to other files. */
class NotWhole extends Error {}

/**
 * The names in an index of git, one character a byte; null where it is not understood, damaged, or not all of it. It is read here and by no git, which
 * would run what a repository's configuration names. <https://git-scm.com/docs/index-format>
 */
export function namesInIndex(index: Buffer): readonly string[] | null {
  try {
    return readNames(index);
  } catch (error) {
    // What is read beyond the end is no index either.
    if (error instanceof NotWhole || error instanceof RangeError) return null;
    throw error;
  }
}

function readNames(index: Buffer): readonly string[] {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  const end = index.length - DIGEST_BYTES;
  expect(index.toString("latin1", 0, 4) === "DIRC" && version >= 2 && version <= 4 && hasDigest(index, end));
  const names: string[] = [];
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry += 1) {
    const start = at;
    const flags = index.readUInt16BE(at + ENTRY_BYTES - 2);
    const isExtended = (flags & EXTENDED) !== 0;
    expect(!isExtended || version > 2);
    at += ENTRY_BYTES + (isExtended ? 2 : 0);
    let before = "";
    if (version === 4) {
      const dropped = readVarint(index, at);
      const last = names.at(-1) ?? "";
      at = dropped.end;
      expect(dropped.value <= last.length);
      before = last.slice(0, last.length - dropped.value);
    }
    const stop = index.indexOf(0, at);
    expect(stop >= at && stop < end);
    const name = before + index.toString("latin1", at, stop);
    expect(isInside(name) && (flags & NAME_LENGTH) === Math.min(name.length, NAME_LENGTH));
    names.push(name);
    at = version === 4 ? stop + 1 : start + (Math.floor((stop - start) / 8) + 1) * 8;
  }
  checkExtensions(index, at, end);
  return names;
}

/** Git puts no other name in, but takes one that it finds there for what it says. */
function isInside(name: string): boolean {
  return name.split("/").every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part));
}

/** Git may be told to write zeros. */
function hasDigest(index: Buffer, end: number): boolean {
  const digest = index.subarray(end);
  return digest.every((byte) => byte === 0) || createHash("sha1").update(index.subarray(0, end)).digest().equals(digest);
}

/** Those that begin with a small letter change what the entries mean: a part of them lies in another file, or they are whole directories. */
function checkExtensions(index: Buffer, from: number, end: number): void {
  let at = from;
  while (at < end) {
    expect(/^[A-Z]/.test(index.toString("latin1", at, at + 4)));
    at += 8 + index.readUInt32BE(at + 4);
  }
  expect(at === end);
}

/** A number as git packs the distance of an object: seven bits a byte, the first ones first, each further byte one more. */
function readVarint(index: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = index.readUInt8(at);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = index.readUInt8(at);
    value = (value + 1) * 128 + (byte & 0x7f);
    expect(value <= index.length);
  }
  return { value, end: at + 1 };
}

function expect(isAsExpected: boolean): void {
  if (!isAsExpected) throw new NotWhole();
}
