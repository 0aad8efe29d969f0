/** What the process that reads documents is asked, and what it answers: JSON. */

export type DocumentTask = {
  /** As the server named it: `text/html; charset=utf-8`. Empty: it did not. */
  readonly mediaType: string;
  /** Where it came from: links in it are relative to that. */
  readonly url: string;
  /** In base64. */
  readonly body: string;
  /** It was cut: there is more of it than `body`. */
  readonly isCut: boolean;
  /** A page is not parsed: its text alone is wanted. */
  readonly isPlain?: boolean;
};

export type DocumentText =
  /** `notes`: what was left out, a sentence each. */
  | {
      readonly kind: "text";
      readonly form: "Markdown" | "JSON" | "text" | "PDF";
      readonly title: string | null;
      readonly text: string;
      readonly notes: readonly string[];
    }
  | { readonly kind: "unread"; readonly problem: string };

/** Characters of a document that are kept: some six hundred pages. */
export const MOST_CHARACTERS = 2_000_000;
