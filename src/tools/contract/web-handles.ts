import type { BrowserOrder } from "../../sandbox/browser/order.ts";
import type { DocumentTask, DocumentText } from "../../sandbox/documents/task.ts";
import type { WebRequest } from "../../sandbox/egress/client/web-request.ts";
import type { Outcome } from "../../sandbox/outcome.ts";

/** Requests over HTTP: through the egress proxy of the session, by the policy's hosts. */
export type WebHandle = {
  /** One request that this call asked for, as the command that does the same. */
  request(request: WebRequest): Promise<Outcome>;
};

/** The run's browser: one page, reached through the egress proxy, by the policy's hosts. */
export type BrowserHandle = {
  /** What this call asked for, as the command that does the same. */
  perform(order: BrowserOrder): Promise<Outcome>;
};

/** Parsers of documents, in a process of its own: they read what a request brought, and reach nothing. */
export type DocumentsHandle = {
  read(task: DocumentTask): Promise<DocumentText>;
};
