import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pdfOf } from "./pdf-of.ts";
import { fetchScene } from "./scene.ts";

const MIB = 1024 * 1024;
const NOTHING_READ = /It was not read: /u;
/** Of what is hard to read: a busy machine comes to the end of its time, which is told as well. */
const SLOW = /this is its text alone|It was not read: it took too long to read/u;
/** The proxy says so, as it does to a command. */
const NOT_HTTP = /status 502[^]*did not answer in HTTP/u;
const FAILED = /^Failed: GET /u;

type Case = { readonly answer: (response: ServerResponse, url: string) => unknown; readonly says: RegExp; readonly timeoutMs?: number };

const sends = (type: string, body: () => string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Case["answer"] => {
  return (response) => response.writeHead(status, { "content-type": type, ...headers }).end(body());
};
const raw = (bytes: string): Case["answer"] => {
  return (response) => response.socket?.end(bytes);
};
const moves = (location: string | ((url: string) => string)): Case["answer"] => {
  return (response, url) => response.writeHead(302, { location: typeof location === "string" ? location : location(url) }).end();
};
/** Long after whoever asks has given up. */
const endsLate = (response: ServerResponse): ServerResponse => {
  const late = setTimeout(() => response.end(), 60_000);
  return response.on("close", () => {
    clearTimeout(late);
  });
};
const block = Buffer.alloc(MIB, "words ");
const BLOCKS = 64;
/** The blocks one after the other, each compressed once: members of one gzip, parts of one zlib stream. Its checksum nobody reaches. */
const gzipped = Buffer.concat(Array.from<Buffer>({ length: BLOCKS }).fill(gzipSync(block)));
const deflated = (part: Buffer): Buffer => {
  const raw = deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from("789c", "hex"), ...Array.from<Buffer>({ length: BLOCKS }).fill(raw), Buffer.from("030000000000", "hex")]);
};
const pdfStream = (name: string, bytes: Buffer): Buffer =>
  Buffer.from(
    pdfOf(["x"], () => "@")
      .toString("latin1")
      .replace("<< /Length 1 >>\nstream\n@", () => `<< /Length ${bytes.length} /Filter /${name} >>\nstream\n${bytes.toString("latin1")}`),
    "latin1",
  );

const CASES: Readonly<Record<string, Case>> = {
  "gzip bomb": { answer: sends("text/plain", () => gzipped, { "content-encoding": "gzip" }), says: /only its first 5242880 bytes/u },
  "brotli bomb": {
    answer: sends("text/plain", () => brotliCompressSync(Buffer.alloc(BLOCKS * MIB, block), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }), {
      "content-encoding": "br",
    }),
    says: /only its first 5242880 bytes/u,
  },
  // Whether that much of a page can be read in its time, too, is a matter of the machine.
  "deflate bomb": {
    answer: sends("text/html", () => deflated(block), { "content-encoding": "deflate" }),
    says: /only its first 5242880 bytes|5242880 bytes\)\nIt was not read: it took too long to read/u,
  },
  "compressed twice": { answer: sends("text/plain", () => gzipSync(gzipSync("x")), { "content-encoding": "gzip, gzip" }), says: FAILED },
  "no gzip": { answer: sends("text/plain", () => "plain", { "content-encoding": "gzip" }), says: FAILED },
  "half a gzip": { answer: sends("text/plain", () => gzipSync("x".repeat(1000)).subarray(0, 20), { "content-encoding": "gzip" }), says: FAILED },
  "endless body": {
    answer: (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write(block));
      };
      response.on("drain", more);
      more();
    },
    says: /only its first 5242880 bytes/u,
  },
  "slow body": {
    answer: (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("x"), 50);
      endsLate(response).on("close", () => {
        clearInterval(timer);
      });
    },
    says: /it took too long/u,
    timeoutMs: 700,
  },
  "no answer": { answer: endsLate, says: /it took too long/u, timeoutMs: 700 },
  "huge header": { answer: sends("text/plain", () => "x", { "x-long": "a".repeat(200_000) }), says: NOT_HTTP },
  "many headers": {
    answer: (response) => {
      for (let at = 0; at < 5000; at += 1) response.setHeader(`x-header-number-${at}`, "some value");
      response.end("x");
    },
    says: NOT_HTTP,
  },
  "redirect to itself": { answer: moves((url) => url), says: /It is at http:\/\/127\.0\.0\.1:\d+\/redirect%20to%20itself now/u },
  "redirect without end": { answer: moves((url) => `${url}x`), says: /It is at http:\/\/127\.0\.0\.1:\d+\/redirect%20without%20endxxxxxx now/u },
  "redirect to a file": { answer: moves("file:///etc/passwd"), says: /status 302/u },
  "redirect to metadata": {
    answer: moves("http://169.254.169.254/latest/meta-data/"),
    says: /It is at http:\/\/169\.254\.169\.254\/latest\/meta-data\/ now, which was not asked/u,
  },
  "redirect with a password": { answer: moves("http://user:password@127.0.0.1/"), says: /status 302/u },
  "shorter than it says": { answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Type: text/plain\r\n\r\nshort"), says: FAILED },
  "two lengths": { answer: raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"), says: NOT_HTTP },
  "no HTTP": { answer: raw("220 smtp.example.org ESMTP\r\n"), says: NOT_HTTP },
  "deep page": {
    answer: sends("text/html", () => `${"<div>".repeat(1_000_000)}deep words`),
    says: /deep words[^]*this is its text alone|It was not read: it took too long to read/u,
  },
  "wide page": { answer: sends("text/html", () => "<b>x</b>".repeat(600_000)), says: SLOW },
  "tables in tables": { answer: sends("text/html", () => "<table><tr><td>".repeat(300_000)), says: SLOW },
  "attributes without end": {
    answer: sends("text/html", () => `<p ${Array.from({ length: 10_000 }, (_one, at) => `a${at}=1`).join(" ")}>words</p>`),
    says: /\n\nwords/u,
  },
  "comments never closed": { answer: sends("text/html", () => "<!-- <![CDATA[ ".repeat(300_000)), says: /status 200/u },
  "signs alone": { answer: sends("text/html", () => "<".repeat(4 * MIB)), says: /status 200/u },
  "deep JSON": { answer: sends("application/json", () => "[".repeat(2_000_000)), says: /status 200/u },
  "false page": { answer: sends("text/html", () => Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(MIB)])), says: NOTHING_READ },
  "false PDF": { answer: sends("application/pdf", () => `%PDF-1.7\n${"1 0 obj << >> ".repeat(100_000)}`), says: NOTHING_READ },
  "PDF in circles": {
    answer: sends("application/pdf", () => Buffer.from(pdfOf(["x"]).toString("latin1").replace("/Kids [4 0 R]", "/Kids [2 0 R]"), "latin1")),
    says: NOTHING_READ,
  },
  "PDF of a thousand million pages": {
    answer: sends("application/pdf", () => Buffer.from(pdfOf(["x"]).toString("latin1").replace("/Count 1", "/Count 1000000000"), "latin1")),
    says: /not read|page 1 of/u,
  },
  "PDF bomb": { answer: sends("application/pdf", () => pdfStream("FlateDecode", deflated(Buffer.alloc(MIB, " ")))), says: /not read|page 1 of/u },
  "image bomb": {
    answer: sends("image/png", () => Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d494844527fffffff7fffffff0802000000", "hex"), deflated(block)])),
    says: NOTHING_READ,
  },
  "a billion laughs": {
    answer: sends(
      "image/svg+xml",
      () => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha">${Array.from({ length: 30 }, (_one, at) => `<!ENTITY a${at} "&a;&a;">`).join("")}]><a>&a29;</a>`,
    ),
    says: /not read|&a29;/u,
  },
  "characters that there are none of": { answer: sends("text/plain; charset=x-none", () => "x"), says: /status 200|^Failed/u },
};

describe("a hostile document", () => {
  let scene: Awaited<ReturnType<typeof fetchScene>>;
  const results = new Map<string, string>();
  let grown = 0;
  beforeAll(async () => {
    scene = await fetchScene((request, response) => {
      const url = request.url ?? "";
      const name = decodeURIComponent(url)
        .slice(1)
        .replace(/x+$/u, (tail) => (url.includes("without%20end") ? "" : tail));
      CASES[name]?.answer(response, url);
    });
    const waiting = Object.entries(CASES);
    const before = process.memoryUsage.rss();
    const one = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [name, { timeoutMs = 240_000 }] = next;
        results.set(name, (await scene.get(`/${encodeURIComponent(name)}`, { timeoutMs })).text);
        grown = Math.max(grown, process.memoryUsage.rss() - before);
      }
    };
    await Promise.all([one(), one(), one()]);
  });
  afterAll(() => scene.close());

  test.each(Object.entries(CASES))("of the kind “%s” ends as it must, within its bounds", (name, { says }) => {
    const text = results.get(name) ?? "";
    expect(text).toMatch(says);
    expect(text.length).toBeLessThan(25_000);
  });

  test("costs this process a bounded part of its memory, and the server was asked through the proxy alone", () => {
    expect(Object.keys(CASES).length).toBeGreaterThanOrEqual(30);
    expect(grown).toBeLessThan(600 * MIB);
    expect(new Set(scene.records.map(({ host, decision }) => `${host} ${decision}`))).toEqual(new Set(["127.0.0.1 allow"]));
  });
});
