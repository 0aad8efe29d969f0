import type { DocumentText } from "./task.ts";
import { isModest } from "./plain-text.ts";

const BOUNDS = { depth: 400, elements: 20_000 };
/** Of an article, less is no article: then the whole page is shown. */
const LEAST_ARTICLE = 200;

/** A page as Markdown: what a reader would read of it, else all of it. Null: it is not modest enough to be parsed, or nothing came of it. */
export async function readPage(page: string, url: string): Promise<DocumentText | null> {
  if (!isModest(page, BOUNDS)) return null;
  const [{ parseHTML }, { Readability }, { NodeHtmlMarkdown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("node-html-markdown"),
  ]);
  // The library's own types need those of a browser.
  const { document } = parseHTML(/<(?:html|body)\b/iu.test(page) ? page : `<html><body>${page}</body></html>`) as unknown as { readonly document: Page };
  for (const element of document.querySelectorAll("script, style, template, noscript, iframe, object, embed")) element.remove();
  const title = document.querySelector("title")?.textContent?.trim() ?? "";
  const whole = document.body?.innerHTML ?? "";
  for (const link of document.querySelectorAll("a[href], img[src]")) absolute(link, url);
  const linked = document.body?.innerHTML ?? whole;
  // It changes the document that it reads.
  const article = new Readability(document, { maxElemsToParse: BOUNDS.elements }).parse();
  const isArticle = (article?.textContent?.trim().length ?? 0) >= LEAST_ARTICLE;
  const text = NodeHtmlMarkdown.translate(isArticle ? (article?.content ?? "") : linked, { maxConsecutiveNewlines: 2 });
  // Its markup is not one that the library makes a body of.
  if (text.trim() === "") return null;
  const notes = isArticle ? ["only the main part of the page is shown"] : [];
  return { kind: "text", form: "Markdown", title: title === "" ? null : title.slice(0, 500), text: text.trim(), notes };
}

type Linked = {
  readonly textContent: string | null;
  hasAttribute(name: string): boolean;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
};

type Page = {
  readonly body: { readonly innerHTML: string } | null;
  querySelector(selector: string): Linked | null;
  querySelectorAll(selector: string): Iterable<Linked>;
};

/** Links that a reader could follow; what is a picture in itself or a script is left away. */
function absolute(element: Linked, base: string): void {
  const name = element.hasAttribute("href") ? "href" : "src";
  const found = URL.parse(element.getAttribute(name) ?? "", base);
  if (found === null || (found.protocol !== "http:" && found.protocol !== "https:")) element.removeAttribute(name);
  else element.setAttribute(name, found.href);
}
