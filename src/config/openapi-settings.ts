import { z } from "zod";
import type { ApiDocument } from "../openapi/api.ts";
import { readUrl } from "../tools/contract/web-command.ts";
import { foreignName, isServerUrl } from "./mcp-settings.ts";

const problem = (message: string) => ({ error: message });

const MAX_DOCUMENTS = 16;
const words = z.array(z.string().min(1).max(300)).max(128).default([]);

const documentFields = z.strictObject({
  file: z.string().startsWith("/").max(4096).optional().describe("The document, in JSON or YAML, where no agent writes."),
  url: z
    .string()
    .max(2000)
    .refine(isServerUrl, problem("An address of a document is an https URL, or an http URL of 127.0.0.1, without user name."))
    .optional()
    .describe("Where the document is read when you confirm it, in place of a file."),
  server: z
    .string()
    .max(2000)
    .refine((text) => "url" in readUrl(text) && !/[?#{}]/u.test(text), problem("A server is an http or https URL without user name, query and placeholders."))
    .optional()
    .describe("Where its requests go. Absent: the first server of the document, if that is a public name."),
  operations: words.describe("Operations that become tools: identifiers, or `GET /path`. Absent, with tags and paths: all."),
  tags: words.describe("Operations with one of these tags, too."),
  paths: words.describe("Operations at paths that match one of these globs, too."),
});

const document = documentFields.refine(({ file, url }) => (file === undefined) !== (url === undefined), problem("A document has either a file or a url."));

/** The key `openapi` of the settings: documents by their names. */
export const openapiSettingsSchema = z
  .record(foreignName, document)
  .refine((documents) => Object.keys(documents).length <= MAX_DOCUMENTS, problem(`There are at most ${String(MAX_DOCUMENTS)} documents.`));

export function apiDocumentsOf(documents: z.output<typeof openapiSettingsSchema>): readonly ApiDocument[] {
  return Object.entries(documents).map(([name, { server, file, url, ...rest }]) => ({
    name,
    ...rest,
    ...(file === undefined ? {} : { file }),
    ...(url === undefined ? {} : { url }),
    ...(server === undefined ? {} : { server }),
  }));
}
