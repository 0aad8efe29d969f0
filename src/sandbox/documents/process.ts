/**
 * Reads a document for one call: a process of its own, which `ask.ts` starts with nothing but its task. What it reads a stranger wrote, and its parsers are
 * large: it has no root, no network, no environment, no file to write, and ends with the call.
 */
import { text } from "node:stream/consumers";
import { dropPrivileges } from "../own-process/drop-privileges.ts";
import { decodeText, formOf } from "./form.ts";
import { plainText } from "./plain-text.ts";
import { readPage } from "./page.ts";
import { readPdf } from "./pdf.ts";
import { type DocumentTask, type DocumentText, MOST_CHARACTERS } from "./task.ts";

/** The user of the parsers of source text: it owns nothing. */
const OWN_USER = { uid: 65530, gid: 65530 };

const task = JSON.parse(await text(process.stdin)) as DocumentTask;
const bytes = Buffer.from(task.body, "base64");
const form = formOf(task.mediaType, bytes);
// Modules are loaded as they are needed, from files that anybody may read: root is given up first.
if (process.getuid?.() === 0) dropPrivileges(OWN_USER);
process.stdout.write(`${JSON.stringify(bounded(await answer()))}\n`);

async function answer(): Promise<DocumentText> {
  if (form === null) return { kind: "unread", problem: "it is no text, page, JSON or PDF" };
  if (form === "PDF") return task.isCut ? { kind: "unread", problem: "it is a PDF that is too large, and a part of one cannot be read" } : await readPdf(bytes);
  const whole = decodeText(task.mediaType, bytes);
  if (form === "text") return { kind: "text", form, title: null, text: whole, notes: [] };
  if (form === "JSON") return { kind: "text", form, title: null, text: indented(whole), notes: [] };
  return (
    (task.isPlain === true ? null : await readPage(whole, task.url)) ?? {
      kind: "text",
      form: "text",
      title: null,
      text: plainText(whole),
      notes: ["the page could not be read as one, for its depth, size or markup: this is its text alone"],
    }
  );
}

/** What is no JSON, or nested deeper than can be written anew, as it is. */
function indented(whole: string): string {
  try {
    return JSON.stringify(JSON.parse(whole), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return whole;
    throw error;
  }
}

function bounded(read: DocumentText): DocumentText {
  if (read.kind === "unread" || read.text.length <= MOST_CHARACTERS) return read;
  return { ...read, text: read.text.slice(0, MOST_CHARACTERS), notes: [...read.notes, `only its first ${MOST_CHARACTERS} characters are here`] };
}
