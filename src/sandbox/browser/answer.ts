import { type BrowserAnswer, type BrowserPage, MAX_FILE_BYTES, MAX_FILE_NAME, MAX_IMAGE, MAX_NOTE, MAX_NOTES, MAX_TITLE, MAX_TREE, MAX_URL } from "./order.ts";

/** Reads a line of the driver, as a stranger's. Null: it is no answer within the bounds. */
export function readAnswer(line: string): BrowserAnswer | null {
  const said = objectOf(line);
  if (said?.["kind"] === "failed") return isText(said["reason"], MAX_NOTE) ? { kind: "failed", reason: said["reason"] } : null;
  const page = said?.["page"];
  if (said?.["kind"] !== "page" || typeof page !== "object" || page === null) return null;
  const { url, title, tree, notes, image, file: offered } = page as Readonly<Record<string, unknown>>;
  if (!isText(url, MAX_URL) || !isText(title, MAX_TITLE) || !isText(tree, MAX_TREE) || !isText(image, MAX_IMAGE)) return null;
  if (!Array.isArray(notes) || notes.length > MAX_NOTES || !notes.every((note): note is string => isText(note, MAX_NOTE))) return null;
  const file = fileOf(offered);
  return file === "none" ? null : { kind: "page", page: { url, title, tree, notes, image, file } };
}

function fileOf(value: unknown): BrowserPage["file"] | "none" {
  if (value === null) return null;
  if (typeof value !== "object") return "none";
  const { name, data } = value as Readonly<Record<string, unknown>>;
  if (!isText(name, MAX_FILE_NAME) || !isText(data, Math.ceil(MAX_FILE_BYTES / 3) * 4) || !/^[A-Za-z0-9+/]*={0,2}$/u.test(data)) return "none";
  return { name, data };
}

/** Whether it says that Chromium has started. */
export const isReady = (line: string): boolean => objectOf(line)?.["kind"] === "ready";

function objectOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const isText = (value: unknown, most: number): value is string => typeof value === "string" && value.length <= most && value.isWellFormed();
