import type { Stats } from "node:fs";
import { makeVisibleLine } from "../../base/text.ts";
import type { Change } from "../../sandbox/runtime.ts";

/** What a change does to a file beside its content, a line each. `was`: what lies there, `owner`: whose the workspace is. */
export function notesOf(change: Change, was: Stats | null, owner: number): readonly string[] {
  const notes: string[] = [];
  if (change.kind === "deleted") return notes;
  const isSameType = was !== null && (change.type === "file" ? was.isFile() : change.type === "directory" && was.isDirectory());
  const mode = octal(change.mode);
  if (isSameType && octal(was.mode) !== mode) notes.push(`mode ${octal(was.mode)} → ${mode}`);
  else if (change.type === "file" && was === null && mode !== "644" && mode !== "664") notes.push(`mode ${mode}`);
  if (was !== null && was.uid !== owner) notes.push(`owner ${String(was.uid)}, not the workspace's ${String(owner)}`);
  if (change.names !== undefined) notes.push(`one file under ${String(change.names)} names in the run (hard links): each lands as a file of its own`);
  for (const attribute of change.attributes ?? []) notes.push(attributeNote(attribute));
  return notes;
}

const ACCESS_LIST = "system.posix_acl_access";

/** They are the workspace's: a run can neither give nor take them. */
function attributeNote(attribute: string): string {
  const [sign, name] = [attribute.charAt(0), attribute.slice(1)];
  const what = name === ACCESS_LIST ? "the access control list" : `the attribute ${makeVisibleLine(name)}`;
  if (sign === "+") return `${what} is new, and does not land`;
  return `${what} ${sign === "-" ? "is gone" : "is another"}, and stays as it was`;
}

/** Permission bits: others never land. */
function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}
