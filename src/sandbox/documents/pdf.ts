import type { DocumentText } from "./task.ts";

const MOST_PAGES = 500;

/** The text of a PDF, page by page. Its pictures are not looked at. */
export async function readPdf(bytes: Buffer): Promise<DocumentText> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { disableFontFace: true, useSystemFonts: false, verbosity: 0 });
    const count = Math.min(pdf.numPages, MOST_PAGES);
    const pages: string[] = [];
    for (let number = 1; number <= count; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const words = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : ""));
      pages.push(`[page ${number} of ${pdf.numPages}]\n${words.join("").trim()}`);
      page.cleanup();
    }
    const notes = count < pdf.numPages ? [`only its first ${MOST_PAGES} pages are here`] : [];
    return { kind: "text", form: "PDF", title: null, text: pages.join("\n\n"), notes };
  } catch (error) {
    // The library throws errors of many kinds for a file that is none, or is locked.
    return { kind: "unread", problem: `it is no PDF that can be read: ${error instanceof Error ? error.message.slice(0, 200) : "unknown fault"}` };
  }
}
