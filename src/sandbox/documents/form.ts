/** What a document is: by the server's word where that is one of these, else by its first bytes. Null: none of them. */
export function formOf(mediaType: string, bytes: Buffer): "page" | "PDF" | "JSON" | "text" | null {
  const named = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (bytes.subarray(0, 1024).includes("%PDF-")) return "PDF";
  // Whatever it is called: bytes that no text has.
  if (bytes.subarray(0, 8192).includes(0) && !/^charset=["']?utf-16/iu.test(mediaType.split(";").slice(1).join(";").trim())) return null;
  if (named === "text/html" || named === "application/xhtml+xml") return "page";
  if (named === "application/json" || named.endsWith("+json")) return "JSON";
  if (named.startsWith("text/") || /^application\/(?:.*\+)?(?:xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh|x-ndjson|sql|graphql)$/u.test(named))
    return "text";
  if (named !== "" && named !== "application/octet-stream") return null;
  const start = bytes.subarray(0, 1024).toString("latin1").trimStart();
  if (/^<(?:!doctype html|html|head|body)\b/iu.test(start)) return "page";
  return isUtf8(bytes) ? (/^[[{]/u.test(start) ? "JSON" : "text") : null;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** By the character set that the server or the page names (https://html.spec.whatwg.org/#determining-the-character-encoding), else UTF-8. */
export function decodeText(mediaType: string, bytes: Buffer): string {
  const start = bytes.subarray(0, 1024).toString("latin1");
  const [, name = "utf-8"] = /charset\s*=\s*["']?([\w.:-]+)/iu.exec(mediaType) ?? /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/iu.exec(start) ?? [];
  try {
    return new TextDecoder(name).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}
