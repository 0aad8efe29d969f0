/** What a conversation has shown for good. Texts are visible already: no control character of theirs reaches a terminal. */
export type Entry =
  /** What a person said. `note`: how it was meant, if it was no task. */
  | { readonly kind: "person"; readonly text: string; readonly note: string }
  /** A piece of what the model said: whole lines. `isFirst`: its answer begins with it. */
  | { readonly kind: "model"; readonly text: string; readonly isFirst: boolean }
  /** What a tool did, in one line. */
  | { readonly kind: "call"; readonly tool: string; readonly what: string; readonly ended: string; readonly mood: "fine" | "bad" }
  /** Warder's own words. */
  | { readonly kind: "word"; readonly text: string; readonly mood: "plain" | "quiet" | "warning" | "fault" }
  /** Lines that are laid out already, such as a list of changes; a colour in them is Warder's. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** Warder's own words, quiet if they are not worth a look. */
export function word(text: string, mood: Extract<Entry, { kind: "word" }>["mood"] = "plain"): Entry {
  return { kind: "word", text, mood };
}
