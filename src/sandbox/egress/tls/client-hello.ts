/** What the first bytes of a connection are, as far as they were read. */
export type FirstBytes =
  | { readonly kind: "incomplete" }
  | { readonly kind: "not-tls" }
  /** TLS, but nothing whose server name can be vouched for. */
  | { readonly kind: "malformed" }
  | { readonly kind: "hello"; readonly serverName: string | null; readonly isEncrypted: boolean };

/** A ClientHello with post-quantum key shares has some 2 KiB; more than this is none. */
const MAX_HELLO_BYTES = 32 * 1024;
/** No client spreads one over more, and each is looked at again whenever more bytes come. */
const MAX_RECORDS = 64;
const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** Reads big-endian fields; after the end it throws `RangeError`, as Buffer does. */
class Fields {
  private at = 0;
  private readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  number(size: number): number {
    this.at += size;
    return this.bytes.readUIntBE(this.at - size, size);
  }
  /** A vector: a length of `size` bytes, then as many bytes. */
  vector(size: number): Buffer {
    const length = this.number(size);
    if (this.at + length > this.bytes.length) throw new RangeError("a vector ends too early");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  skip(size: number): void {
    this.at += size;
    if (this.at > this.bytes.length) throw new RangeError("the message ends too early");
  }
  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }
}

/**
 * Looks for the ClientHello (RFC 8446, 4.1.2) at the start of what a client sent, also where it is spread over several records. Total:
 * any bytes have an answer, and more of them never change one that is not `incomplete`.
 */
export function readFirstBytes(bytes: Buffer): FirstBytes {
  if (bytes.length === 0) return { kind: "incomplete" };
  if (bytes[0] !== HANDSHAKE_RECORD || (bytes.length > 1 && bytes[1] !== 3)) return { kind: "not-tls" };
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = 0; ;) {
    if (bytes.length < at + 5) return incompleteUpTo(bytes);
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE_RECORD || bytes[at + 1] !== 3 || length === 0 || length > 16_384) return { kind: "malformed" };
    const part = bytes.subarray(at + 5, at + 5 + length);
    if (parts.length === MAX_RECORDS) return { kind: "malformed" };
    parts.push(part);
    size += part.length;
    const handshake = size >= 4 ? Buffer.concat(parts) : null;
    if (handshake !== null) {
      const wanted = handshake.readUIntBE(1, 3);
      if (handshake[0] !== CLIENT_HELLO || wanted > MAX_HELLO_BYTES) return { kind: "malformed" };
      if (size >= 4 + wanted) return readHello(handshake.subarray(4, 4 + wanted));
    }
    if (part.length < length) return incompleteUpTo(bytes);
    at += 5 + length;
  }
}

function incompleteUpTo(bytes: Buffer): FirstBytes {
  return { kind: bytes.length > 2 * MAX_HELLO_BYTES ? "malformed" : "incomplete" };
}

function readHello(body: Buffer): FirstBytes {
  try {
    const hello = new Fields(body);
    hello.skip(2 + 32);
    hello.vector(1);
    hello.vector(2);
    hello.vector(1);
    const seen = new Set<number>();
    let serverName: string | null = null;
    const extensions = new Fields(hello.isDone ? Buffer.alloc(0) : hello.vector(2));
    while (!extensions.isDone) {
      const type = extensions.number(2);
      const content = extensions.vector(2);
      // Of two extensions of one type a server may read the other one (RFC 8446, 4.2 forbids them).
      if (seen.has(type)) return { kind: "malformed" };
      seen.add(type);
      if (type === SERVER_NAME) serverName = readServerName(content);
    }
    return hello.isDone ? { kind: "hello", serverName, isEncrypted: seen.has(ENCRYPTED_CLIENT_HELLO) } : { kind: "malformed" };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "malformed" };
    throw error;
  }
}

/** The one name of a server_name extension (RFC 6066, 3). Throws `RangeError` for any other number of names. */
function readServerName(content: Buffer): string {
  const extension = new Fields(content);
  const list = new Fields(extension.vector(2));
  const type = list.number(1);
  const name = list.vector(2);
  if (type !== 0 || !list.isDone || !extension.isDone) throw new RangeError("not one host name");
  return name.toString("latin1");
}
