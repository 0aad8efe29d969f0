import { connect } from "node:tls";
import { Duplex } from "node:stream";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { readFirstBytes } from "../../../../src/sandbox/egress/tls/client-hello.ts";

/** What Node.js sends first, as one record. */
function realHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer) => {
        resolve(chunk);
        wire.destroy();
      },
    });
    connect({ socket: wire, servername }).on("error", () => undefined);
  });
}

/** The same handshake spread over records of `size` bytes. */
function fragmented(record: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 5; at < record.length; at += size) {
    const part = record.subarray(at, at + size);
    parts.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(parts);
}

/** A ClientHello with these extensions, each a type and its content. */
function hello(...extensions: readonly (readonly [number, Buffer])[]): Buffer {
  const vector = (content: Buffer, size: number): Buffer => {
    const length = Buffer.alloc(size);
    length.writeUIntBE(content.length, 0, size);
    return Buffer.concat([length, content]);
  };
  const list = Buffer.concat(extensions.map(([type, content]) => Buffer.concat([Buffer.from([type >> 8, type & 255]), vector(content, 2)])));
  const body = Buffer.concat([Buffer.alloc(34, 3), vector(Buffer.alloc(0), 1), vector(Buffer.from([19, 1]), 2), vector(Buffer.from([0]), 1), vector(list, 2)]);
  return Buffer.concat([Buffer.from([22, 3, 1]), vector(Buffer.concat([Buffer.from([1]), vector(body, 3)]), 2)]);
}

const name = (...names: string[]): readonly [number, Buffer] => {
  const list = Buffer.concat(names.map((text) => Buffer.concat([Buffer.from([0, 0, text.length]), Buffer.from(text)])));
  return [0, Buffer.concat([Buffer.from([0, list.length]), list])];
};

test("finds the server name of a real ClientHello, whole and spread over records", async () => {
  const record = await realHello("secure.example.org");
  for (const bytes of [record, fragmented(record, Math.ceil(record.length / 60)), fragmented(record, 500), Buffer.concat([record, Buffer.from("more")])])
    expect(readFirstBytes(bytes)).toEqual({ kind: "hello", serverName: "secure.example.org", isEncrypted: false });
});

test("takes what is spread over more records than a client sends for none, and looks no further", async () => {
  const record = await realHello("secure.example.org");
  const concatenations = vi.spyOn(Buffer, "concat");
  try {
    expect(readFirstBytes(fragmented(record, 1))).toEqual({ kind: "malformed" });
    expect(concatenations.mock.calls.length).toBeLessThan(100);
  } finally {
    concatenations.mockRestore();
  }
});

test("asks for more until a ClientHello is whole", async () => {
  const record = await realHello("secure.example.org");
  for (let length = 0; length < record.length; length += 7) expect(readFirstBytes(record.subarray(0, length))).toEqual({ kind: "incomplete" });
});

test.each([
  ["no extension", hello(), { kind: "hello", serverName: null, isEncrypted: false }],
  ["a name that ends early by a NUL", hello(name("a.org\0.b.org")), { kind: "hello", serverName: "a.org\0.b.org", isEncrypted: false }],
  ["an encrypted ClientHello", hello(name("a.org"), [0xfe0d, Buffer.alloc(4)]), { kind: "hello", serverName: "a.org", isEncrypted: true }],
  ["two names", hello(name("a.org", "b.org")), { kind: "malformed" }],
  ["two extensions of one type", hello(name("a.org"), name("b.org")), { kind: "malformed" }],
  ["an empty list of names", hello([0, Buffer.from([0, 0])]), { kind: "malformed" }],
  ["an extension that is too long", hello([0, Buffer.from([0, 200, 0, 0, 1, 97])]), { kind: "malformed" }],
  ["another handshake message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]), { kind: "malformed" }],
  ["an empty record", Buffer.from([22, 3, 1, 0, 0]), { kind: "malformed" }],
  ["a message without an end", Buffer.from([22, 3, 1, 0, 4, 1, 255, 255, 255]), { kind: "malformed" }],
  ["HTTP", Buffer.from("GET / HTTP/1.1"), { kind: "not-tls" }],
  ["an SSLv2 hello", Buffer.from([0x80, 46, 1, 0, 2]), { kind: "not-tls" }],
])("%s", (_what, bytes, expected) => {
  expect(readFirstBytes(bytes)).toEqual(expected);
});

test("more bytes never change an answer", () => {
  const start = hello(name("a.org"));
  const flipped = fc.tuple(fc.nat(start.length - 1), fc.nat(255)).map(([at, byte]) => new Uint8Array(start).with(at, byte));
  const answers = (data: Uint8Array): readonly string[] =>
    Array.from(data, (_byte, at) => JSON.stringify(readFirstBytes(Buffer.from(data).subarray(0, at + 1)))).filter((answer) => !answer.includes("incomplete"));
  expect(() => {
    fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), flipped), (data) => new Set(answers(data)).size <= 1));
  }).not.toThrow();
});
