import { isPlainIndex, nameOfTable } from "./sqlite-schema.ts";

/** Positioned reads of an open file. */
type PageFile = { read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }> };

/** `take`: counts bytes that are held, also where a file has many cells share them. */
type Pages = { readonly usable: number; take(bytes: number): void; read(page: number): Promise<Buffer> };

/** As much of a schema as is held; a usual one has some kilobytes. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_DEPTH = 20;
const HEADER_BYTES = 100;
const [INTERIOR, LEAF] = [5, 13];

/** A file that was read as a whole. */
export function pagesIn(bytes: Buffer): PageFile {
  return { read: (buffer, offset, length, position) => Promise.resolve({ bytesRead: bytes.copy(buffer, offset, position, position + length) }) };
}

/** The file is not understood, or holds more than tables and indexes that call nothing. */
class NotPlain extends Error {}

/**
 * The tables of a SQLite database, in lower case, where its schema is nothing but ordinary tables and indexes that call no function; else null. It is read
 * here and by no library, as the file may be anybody's: what the format leaves open, and this does not expect, is null. <https://www.sqlite.org/fileformat2.html>
 */
export async function plainTables(file: PageFile): Promise<readonly string[] | null> {
  try {
    const tables: string[] = [];
    for (const sql of await statementsIn(await pagesOf(file), 1, 0)) {
      const name = nameOfTable(sql);
      if (name !== null) tables.push(name);
      else if (!isPlainIndex(sql)) return null;
    }
    return tables;
  } catch (error) {
    // What is read beside the page is no database either.
    if (error instanceof NotPlain || error instanceof RangeError) return null;
    throw error;
  }
}

async function pagesOf(file: PageFile): Promise<Pages> {
  const header = await bytesAt(file, 0, HEADER_BYTES);
  const stored = header.readUInt16BE(16);
  const size = stored === 1 ? 65_536 : stored;
  const usable = size - header.readUInt8(20);
  expect(header.toString("latin1", 0, 16) === "SQLite format 3\0");
  expect(size >= 512 && (size & (size - 1)) === 0 && usable >= 480);
  expect([header[18], header[19]].every((version) => version === 1 || version === 2));
  expect(header[21] === 64 && header[22] === 32 && header[23] === 32);
  const [format, encoding] = [header.readUInt32BE(44), header.readUInt32BE(56)];
  // UTF-8 alone.
  expect(format >= 1 && format <= 4 && encoding === 1);
  let left = MAX_BYTES;
  const take = (bytes: number): void => {
    left -= bytes;
    expect(left >= 0);
  };
  const read = async (page: number): Promise<Buffer> => {
    take(size);
    expect(page > 0);
    return await bytesAt(file, (page - 1) * size, size);
  };
  return { usable, take, read };
}

async function bytesAt(file: PageFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    expect(bytesRead > 0);
    done += bytesRead;
  }
  return buffer;
}

/** The texts of the schema in the tree below a page; an index that a constraint makes has none. */
async function statementsIn(pages: Pages, number: number, depth: number): Promise<readonly string[]> {
  expect(depth < MAX_DEPTH);
  const page = (await pages.read(number)).subarray(0, pages.usable);
  const start = number === 1 ? HEADER_BYTES : 0;
  const kind = page.readUInt8(start);
  expect(kind === INTERIOR || kind === LEAF);
  const first = start + (kind === LEAF ? 8 : 12);
  const end = first + 2 * page.readUInt16BE(start + 3);
  const statements: string[] = [];
  for (let pointer = first; pointer < end; pointer += 2) {
    const cell = page.readUInt16BE(pointer);
    expect(cell >= end);
    if (kind === INTERIOR) statements.push(...(await statementsIn(pages, page.readUInt32BE(cell), depth + 1)));
    else statements.push(...statementOf(await recordAt(pages, page, cell)));
  }
  if (kind === INTERIOR) statements.push(...(await statementsIn(pages, page.readUInt32BE(start + 8), depth + 1)));
  return statements;
}

/** The record of a cell, with what overflows the page. */
async function recordAt(pages: Pages, page: Buffer, cell: number): Promise<Buffer> {
  const [length, behindLength] = varint(page, cell);
  const at = behindRow(page, behindLength);
  const inPage = bytesInPage(length, pages.usable);
  pages.take(length);
  expect(at + inPage <= page.length);
  const parts = [page.subarray(at, at + inPage)];
  let next = inPage < length ? page.readUInt32BE(at + inPage) : 0;
  for (let left = length - inPage; left > 0;) {
    const overflow = (await pages.read(next)).subarray(0, pages.usable);
    next = overflow.readUInt32BE(0);
    parts.push(overflow.subarray(4, 4 + left));
    left -= pages.usable - 4;
  }
  return Buffer.concat(parts, length);
}

function bytesInPage(length: number, usable: number): number {
  const most = usable - 35;
  if (length <= most) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (usable - 4));
  return fitting <= most ? fitting : least;
}

/** The last of the five columns: type, name, table, root page, text. SQLite goes by the text alone. */
function statementOf(record: Buffer): readonly string[] {
  const [headerLength, behind] = varint(record, 0);
  const types: number[] = [];
  let at = behind;
  while (at < headerLength) {
    const [type, next] = varint(record, at);
    types.push(type);
    at = next;
  }
  const lengths = types.map(lengthOf);
  const last = types.at(-1);
  expect(types.length === 5 && at === headerLength && record.length === lengths.reduce((sum, length) => sum + length, at));
  if (last === 0) return [];
  expect(last !== undefined && last >= 13 && last % 2 === 1);
  return [record.toString("latin1", record.length - (lengths[4] ?? 0))];
}

function lengthOf(type: number): number {
  expect(type !== 10 && type !== 11);
  return type >= 12 ? Math.floor((type - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0);
}

/** A number of at most four bytes, and where it ends. */
function varint(bytes: Buffer, at: number): readonly [number, number] {
  let value = 0;
  for (let index = at; index < at + 4; index += 1) {
    const byte = bytes.readUInt8(index);
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, index + 1];
  }
  throw new NotPlain();
}

/** Behind the number of the row, which has up to nine bytes. */
function behindRow(bytes: Buffer, at: number): number {
  let index = at;
  while (index < at + 8 && bytes.readUInt8(index) >= 128) index += 1;
  return index + 1;
}

function expect(isSo: boolean): asserts isSo {
  if (!isSo) throw new NotPlain();
}
