/** Nobody's directories: a page knows none. */
export const PLACES = { workspace: "/home/you/project", home: "/home/you" } as const;
export const STATE_DIRECTORY = "/home/you/.local/state/warder";

/** A text with paths as a person in the workspace would write them. */
export function inShort(text: string): string {
  return text.replaceAll(`${PLACES.workspace}/`, "").replaceAll(PLACES.workspace, ".");
}
