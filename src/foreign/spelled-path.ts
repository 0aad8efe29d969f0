import { isSystemText } from "../tools/contract/command.ts";
import { locate } from "../tools/contract/location.ts";
import type { ToolSetting } from "../tools/contract/tool.ts";

const MAX_PATH_CHARACTERS = 4_096;
const MAX_SPELLINGS = 16;

/** What one agent or another makes of a path before it opens the file. Each is a reading that some of them have, and others have not. */
const READINGS: readonly ((path: string) => string)[] = [
  (path) => path.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, ""),
  (path) => path.replace(/^@/u, ""),
  (path) => path.replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/gu, " "),
  (path) => path.replaceAll(/\\(.)/gu, "$1"),
  (path) => (path.startsWith("file:") ? fileOf(path) : path),
];

/**
 * The files that a path of another agent may mean, absolute: whichever the agent takes is among them. Nearly always one. Null: it is no path, or means too
 * many things.
 */
export function placesOf(path: unknown, place: ToolSetting): readonly string[] | null {
  if (typeof path !== "string" || !isSystemText(path, MAX_PATH_CHARACTERS)) return null;
  const spellings = new Set([path]);
  for (const spelling of spellings) {
    for (const read of READINGS) spellings.add(read(spelling));
    if (spellings.size > MAX_SPELLINGS) return null;
  }
  // An agent that knows no home takes ~ for the name of a directory.
  return [...new Set([...spellings].flatMap((each) => [locate(each, place), locate(each.startsWith("~") ? `./${each}` : each, place)]))];
}

function fileOf(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  try {
    return decodeURIComponent(url.pathname);
  } catch (error) {
    if (error instanceof URIError) return url.pathname;
    throw error;
  }
}
