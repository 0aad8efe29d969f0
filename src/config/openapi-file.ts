import { closeSync, fstatSync, readFileSync } from "node:fs";
import { sha256 } from "../base/digest.ts";
import { isNestedBeyond } from "../mcp/json-size.ts";
import { readForeignYaml } from "../policy/text/foreign-yaml.ts";
import { openRegular } from "../store/files/regular-file.ts";

export const MAX_BYTES = 32 * 1024 * 1024;
/** The parser of YAML takes some microseconds for each word. */
const MAX_YAML_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 200;

/** The text of a document that a person named, with its digest. */
export type DocumentFile = { readonly text: string; readonly digest: string };

/** Reads the file; a link in its name is followed. Or why it is not read, as a clause. */
export function readDocumentFile(path: string): DocumentFile | { readonly problem: string } {
  let file: number;
  try {
    file = openRegular(path, "read", "bad-configuration");
  } catch (error) {
    return { problem: `it cannot be opened${error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""}` };
  }
  try {
    const { uid, mode, size } = fstatSync(file);
    // Whoever can write it says what the tools are that a person is shown.
    if (uid !== 0 && uid !== process.getuid?.()) return { problem: "it belongs to somebody else" };
    if ((mode & 0o022) !== 0) return { problem: `it may be changed by others (mode ${(mode & 0o777).toString(8)}); run: chmod go-w on it` };
    if (size > MAX_BYTES) return { problem: "it is longer than 32 MiB" };
    const bytes = readFileSync(file);
    return { text: bytes.toString("utf8"), digest: sha256(bytes) };
  } finally {
    closeSync(file);
  }
}

/** Its value, of JSON or of YAML; or why there is none, as a clause. */
export function documentValue({ text }: DocumentFile): { readonly value: unknown } | { readonly problem: string } {
  if (!/^\s*\{/u.test(text)) return text.length > MAX_YAML_BYTES ? { problem: "it is YAML longer than 8 MiB: write it as JSON" } : readForeignYaml(text);
  if (isNestedBeyond(text, MAX_DEPTH)) return { problem: `it is nested deeper than ${String(MAX_DEPTH)} levels` };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: "it is not valid JSON" };
    throw error;
  }
}
