import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/**
 * A valid pack (gitformat-pack(5)) that is small and says that it is large: a blob of `baseBytes` zeros, and `blobs` more, each a difference that
 * copies the whole base `copies` times and ends with a byte of its own.
 */
export function deltaPack({ baseBytes, copies, blobs }: { readonly baseBytes: number; readonly copies: number; readonly blobs: number }): Buffer {
  const base = Buffer.alloc(baseBytes);
  const baseId = createHash("sha1")
    .update(`blob ${String(baseBytes)}\0`)
    .update(base)
    .digest();
  // Copy from offset 0: only the three bytes of the size follow.
  const copy = Buffer.from([0xf0, baseBytes & 0xff, (baseBytes >> 8) & 0xff, (baseBytes >> 16) & 0xff]);
  const start = Buffer.concat([varint(baseBytes), varint(baseBytes * copies + 1), ...Array.from({ length: copies }, () => copy)]);
  const objects = [Buffer.concat([header(3, baseBytes), deflateSync(base, { level: 9 })])];
  for (let number = 0; number < blobs; number += 1) {
    const delta = Buffer.concat([start, Buffer.from([1, number])]);
    objects.push(Buffer.concat([header(7, delta.length), baseId, deflateSync(delta, { level: 9 })]));
  }
  const head = Buffer.alloc(12);
  head.write("PACK", "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** Seven bits in a byte, the lowest first; the highest bit says that more follow. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

function header(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 128]), varint(rest)]);
}
