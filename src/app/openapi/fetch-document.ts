import { sha256 } from "../../base/digest.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { type DocumentFile, MAX_BYTES } from "../../config/openapi-file.ts";
import { reach } from "../mcp/reach.ts";
import type { Records } from "../records/records.ts";

const IN_TIME_MS = 60_000;

/**
 * Reads a document at its address: through an egress proxy that lets through its host and nothing else, and to no private address behind a name. Or why there is
 * none, as a clause. A redirect is not followed, because a person named this address.
 */
export async function fetchDocument(url: string, records: Records, maxBytes = MAX_BYTES): Promise<DocumentFile | { readonly problem: string }> {
  const way = await reach({ url, hosts: [] }, { records, runId: null });
  try {
    const headers = { accept: "application/json, application/yaml, text/yaml, */*", "accept-encoding": "identity" };
    const answer = await way.fetched(url, { headers, redirect: "manual", signal: AbortSignal.timeout(IN_TIME_MS) });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      const where = answer.headers.get("location");
      const away = where === null ? "" : `, and leads to ${makeVisibleLine(where.slice(0, 200))}: name that address if you mean it`;
      return { problem: `its address answers with HTTP ${String(answer.status)}${away}` };
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    const body: ReadableStream<Uint8Array> | null = answer.body;
    if (body === null) return { problem: "its address gives nothing" };
    for await (const part of body) {
      length += part.length;
      if (length > maxBytes) return { problem: `it is longer than ${String(maxBytes / 1024 ** 2)} MiB` };
      parts.push(part);
    }
    const bytes = Buffer.concat(parts);
    return { text: bytes.toString("utf8"), digest: sha256(bytes) };
  } catch (error) {
    return { problem: `its address does not answer: ${error instanceof Error ? makeVisibleLine(error.message) : "a fault"}` };
  } finally {
    await way.close();
  }
}
