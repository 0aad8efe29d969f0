/** What is done with the browser's one page. `ref`: an element, as the tree of the last answer names it. */
export type BrowserDeed =
  | { readonly kind: "open" }
  | { readonly kind: "read" }
  | { readonly kind: "back" }
  | { readonly kind: "screenshot" }
  | { readonly kind: "click"; readonly ref: string }
  /** `submits`: presses Enter afterwards. */
  | { readonly kind: "type"; readonly ref: string; readonly text: string; readonly submits: boolean }
  | { readonly kind: "select"; readonly ref: string; readonly values: readonly string[] }
  | { readonly kind: "press"; readonly key: string }
  /** Clicks, and takes the file that is offered then. */
  | { readonly kind: "download"; readonly ref: string };

/** `url`: absolute, of http or https. Where to go, or a page of the site (scheme, host and port) that the deed is for: at another it is not done. */
export type BrowserOrder = { readonly url: string; readonly deed: BrowserDeed; readonly timeoutMs: number };

/** Whether a deed may make a page send something, so that it is judged as that. */
export function sendsSomething({ kind }: BrowserDeed): boolean {
  return kind === "click" || kind === "type" || kind === "select" || kind === "press" || kind === "download";
}

/** What the page is after a deed. All of it is a stranger's. */
export type BrowserPage = {
  readonly url: string;
  readonly title: string;
  /** The accessibility tree, with a ref for what can be acted on; empty where a picture was asked for. */
  readonly tree: string;
  /** What happened meanwhile: windows that it wanted to open, dialogs, files that it offered, what it was not let do. */
  readonly notes: readonly string[];
  /** PNG or JPEG in base64; empty: none. */
  readonly image: string;
  /** A file that was asked for, in base64, and the name that the page has for it. Null: none. */
  readonly file: { readonly name: string; readonly data: string } | null;
};

export type BrowserAnswer = { readonly kind: "page"; readonly page: BrowserPage } | { readonly kind: "failed"; readonly reason: string };

/** Bounds of an answer: what is longer was not written by our driver. */
export const MAX_TREE = 200_000;
export const MAX_URL = 4096;
export const MAX_TITLE = 300;
export const MAX_NOTES = 12;
export const MAX_NOTE = 600;
/** Characters of base64: as large as a model is sent. */
export const MAX_IMAGE = 5_000_000;
export const MAX_FILE_BYTES = 7 * 1024 * 1024;
export const MAX_FILE_NAME = 255;
