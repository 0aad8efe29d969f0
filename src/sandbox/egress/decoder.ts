import type { IncomingHttpHeaders } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/**
 * What undoes a `Content-Encoding` that a server used although it was asked for none. Null: nothing is to be undone. `unknown`: it cannot
 * be, also because there are several, or because it was compressed for the way (`Transfer-Encoding: gzip, chunked`).
 */
export function decoderOf(headers: IncomingHttpHeaders): Transform | null | "unknown" {
  if ((headers["transfer-encoding"] ?? "chunked").trim().toLowerCase() !== "chunked") return "unknown";
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
