import { dirname, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { askProcess, type ProcessLimits } from "../own-process/ask-process.ts";
import { formOf } from "./form.ts";
import type { DocumentTask, DocumentText } from "./task.ts";

/** Much longer than its time of the processor, because machines are busy; a page may be read twice within a call of a tool. */
const DOCUMENT_MS = 40_000;
/** A page of five mebibytes of markup needs less than half of it. */
const LIMITS: ProcessLimits = { dataKib: 1024 * 1024, cpuSeconds: 10, heapMib: 512, maxAnswerBytes: 16 * 1024 * 1024 };
const PACKAGES = ["@mozilla/readability", "linkedom", "node-html-markdown", "unpdf"];

/** Has a document read by a process of its own. Gives its text, or why there is none; never rejects. A caller's abort ends the process. */
export async function readDocument(task: DocumentTask, signal: AbortSignal): Promise<DocumentText> {
  const own = fileURLToPath(import.meta.url);
  const program = `${dirname(own)}/process${extname(own)}`;
  const bound = AbortSignal.any([signal, AbortSignal.timeout(DOCUMENT_MS)]);
  const packages = PACKAGES.map((name) => import.meta.resolve(name));
  const said = await askProcess({ program, packages, hasNetwork: false, hasAddons: false }, task, { limits: LIMITS, signal: bound });
  // What has no end was cut with the process.
  if (said.endsWith("\n")) return JSON.parse(said) as DocumentText;
  // Of a page that no parser gets through its text can be had.
  if (task.isPlain !== true && !signal.aborted && formOf(task.mediaType, Buffer.from(task.body, "base64")) === "page")
    return await readDocument({ ...task, isPlain: true }, signal);
  return { kind: "unread", problem: bound.aborted ? "it took too long to read" : "it takes more memory or time than a document may, or its parser ended" };
}
