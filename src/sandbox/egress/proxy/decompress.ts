import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/**
 * What undoes a `Content-Encoding` that a server used although it was asked for none. Null: nothing is to be undone. `unknown`: it cannot
 * be, also because there are several, or because it was compressed for the way (`Transfer-Encoding: gzip, chunked`); or what comes is a part
 * of the whole, or in characters whose ASCII is not ASCII.
 */
export function decoderOf({ headers, statusCode }: IncomingMessage): Transform | null | "unknown" {
  if ((headers["transfer-encoding"] ?? "chunked").trim().toLowerCase() !== "chunked") return "unknown";
  if (isPart(statusCode, headers["content-range"]) || !isReadable(headers["content-type"] ?? "")) return "unknown";
  switch (headers["content-encoding"]?.trim().toLowerCase() ?? "identity") {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress();
    default:
      return "unknown";
  }
}

/** A part of the bytes, or a difference (RFC 3229), of what was asked for as a whole. Of other units, as pages of items are, it is a whole. */
function isPart(status: number | undefined, range: string | undefined): boolean {
  return status === 226 || (status === 206 && (range === undefined || /^\s*bytes\b/iu.test(range)));
}

/** Whether every `charset` is one of the Web's (https://encoding.spec.whatwg.org/): what ASCII is in those is found. Not UTF-7, not EBCDIC. */
function isReadable(type: string): boolean {
  return Array.from(type.matchAll(/charset\s*=\s*["']?([^\s"';,]*)/giu), ([, name = ""]) => name).every((name) => {
    try {
      return name === "" || new TextDecoder(name).encoding !== "iso-2022-jp";
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  });
}
