import { makeVisible } from "../../base/text.ts";

const MAX_PATH_BYTES = 4096;
const MAX_COMPONENT_BYTES = 255;

/** Nearly every path: absolute, of printable ASCII, without a name that is empty, `.` or `..`. */
const ORDINARY = /^(?:\/(?!\.{0,2}(?:\/|$))[ -.0-~]+)+$/u;

/** A fast test that a path has no fault and is normalised. False says nothing: look closer. */
export function isOrdinaryPath(path: string): boolean {
  return path.length <= MAX_COMPONENT_BYTES && ORDINARY.test(path);
}

/** Why a text is no path that can be judged: NUL, control or invisible characters, not absolute, longer than the system takes. Null: it is one. */
export function pathFault(path: string): string | null {
  if (makeVisible(path) !== path) return "it holds control, invisible or broken characters";
  if (!path.startsWith("/")) return "it is not absolute";
  if (path.length * 3 > MAX_PATH_BYTES && byteLength(path) >= MAX_PATH_BYTES) return "it is longer than the system takes";
  if (path.length * 3 > MAX_COMPONENT_BYTES && path.split("/").some((name) => name.length * 3 > MAX_COMPONENT_BYTES && byteLength(name) > MAX_COMPONENT_BYTES))
    return "one of its names is longer than the system takes";
  return null;
}

/** An absolute path without `.`, `..`, doubled or trailing slashes. */
export function normalisePath(path: string): string {
  if (path === "/") return path;
  if (!/\/(?:\/|$|\.\.?(?:\/|$))/u.test(path)) return path;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** Whether `path` is `directory` or lies below it; both normalised. */
export function isWithin(path: string, directory: string): boolean {
  if (directory === "/") return true;
  // The one character tells most paths apart.
  return (path.charCodeAt(directory.length) === 0x2f || path.length === directory.length) && path.startsWith(directory);
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
