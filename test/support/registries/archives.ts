import { crc32, gzipSync } from "node:zlib";

/** What an archive holds, by path: a text, or bytes. The same files make the same bytes. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** A tar archive (ustar, POSIX.1-1988) of plain files, and of directories, whose paths end with a slash, packed with gzip. */
export function tarballOf(files: Files): Buffer {
  const parts = Object.entries(files).flatMap(([path, content]) => {
    const body = Buffer.from(content);
    return [tarHead(path, body.length), body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

function tarHead(path: string, size: number): Buffer {
  if (path.length > 100) throw new Error(`Too long for a name in a tar archive: ${path}`);
  const head = Buffer.alloc(512);
  head.write(path, 0);
  const isFolder = path.endsWith("/");
  head.write(isFolder ? "0000755\0" : "0000644\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write(isFolder ? "        5" : "        0", 148);
  head.write("ustar\x0000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** A zip archive of files as they are (APPNOTE.TXT 4.3, method 0). Wheels, jars and Go's modules are such. */
export function zipOf(files: Files): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const [name, body] = [Buffer.from(path), Buffer.from(content)];
    const common = zipFields(name, body);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), common, name, body]);
    const entry = Buffer.alloc(14);
    // No comment, the first disk, a plain file of mode 0644.
    entry.writeUInt32LE(0o100644 * 0x10000, 6);
    entry.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 3]), common, entry, name);
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(files).length, at);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}

/** What stands of a file both before it and in the directory at the end. */
function zipFields(name: Buffer, body: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  // The first of January 1980, where the time of zip archives begins.
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(crc32(body), 10);
  fields.writeUInt32LE(body.length, 14);
  fields.writeUInt32LE(body.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

/** An archive of ar (deb(5)). */
export function arOf(files: Files): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const body = Buffer.from(content);
    const head = `${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}${String(body.length).padEnd(10)}\`\n`;
    return [Buffer.from(head), body, Buffer.from(body.length % 2 === 1 ? "\n" : "")];
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}
