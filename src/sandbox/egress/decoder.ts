import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/**
 * What undoes a `Content-Encoding` that a server used although it was asked for none. Null: nothing is to be undone. `unknown`: it cannot
 * be, also because there are several.
 */
export function decoderOf(encoding: string | undefined): Transform | null | "unknown" {
  switch (encoding?.trim().toLowerCase() ?? "identity") {
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
