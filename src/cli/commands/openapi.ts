import { confirmDocument, lookAtDocument, namedDocuments, type NamedDocument } from "../../app/openapi/documents.ts";
import { openRecords } from "../../app/records/records.ts";
import { readContext } from "../../app/setup/context.ts";
import { personAtTerminal } from "../../approvals/terminal/account.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../base/text.ts";
import type { ServerTool } from "../../mcp/server.ts";
import { bindingIn } from "../../openapi/binding.ts";
import { confirm } from "../input/confirmation.ts";
import { EXIT } from "../process/exit-code.ts";
import { paint } from "../view/style.ts";
import { toolsText } from "./mcp/servers-text.ts";

/** `warder openapi list`: which documents the settings name, and whether a person confirmed them. */
export function list(options: { readonly json?: boolean }): number {
  const records = openRecords();
  try {
    const all = namedDocuments(records);
    if (options.json === true) process.stdout.write(`${visibleJson({ documents: all.map(plain) })}\n`);
    else if (all.length === 0) process.stdout.write("The settings name no OpenAPI documents. See docs/guides/openapi.md.\n");
    else for (const each of all) process.stdout.write(documentText(each));
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function plain({ api, pin, problem }: NamedDocument): Readonly<Record<string, unknown>> {
  const confirmed = pin === null ? null : { by: pin.by, at: pin.confirmedAt, tools: pin.tools.map((tool) => tool.name) };
  return { ...api, server: api.server ?? null, confirmed, isOffered: problem === null };
}

function documentText({ api, pin, problem }: NamedDocument): string {
  const unconfirmed = pin === null ? "not confirmed" : "changed since it was confirmed";
  const state = problem === null && pin !== null ? paint("green", `confirmed, ${String(pin.tools.length)} tools`) : paint("yellow", unconfirmed);
  const chosen = [...api.operations, ...api.tags.map((tag) => `#${tag}`), ...api.paths];
  const lines = [
    ["document", api.file ?? api.url ?? ""],
    ["server", api.server ?? "as the document says"],
    ["offers", chosen.length === 0 ? "all operations" : chosen.join(", ")],
  ] as const;
  return `${paint("bold", api.name)}  ${state}\n${lines.map(([label, text]) => `  ${label.padEnd(10)}${makeVisibleLine(text)}\n`).join("")}`;
}

export type TrustOptions = { readonly policy: string; readonly workspace: string };

/** `warder openapi trust`: a person at a terminal looks at a document's operations as they are now, and confirms them. */
export async function trust(name: string, { policy, workspace }: TrustOptions): Promise<number> {
  const context = readContext(policy, workspace);
  const records = openRecords();
  try {
    const seen = await lookAtDocument(records, context, name);
    const { problem, changes, catalogue } = seen;
    if (problem === null && changes.length === 0) {
      process.stdout.write(`${makeVisibleLine(name)} is as it was confirmed: ${String(catalogue.tools.length)} tools.\n`);
      return EXIT.done;
    }
    const text = toolsText({ ...seen, extra: requestLine });
    if (catalogue.tools.length === 0) throw new AgentError("usage", `The OpenAPI document ${name} offers no operation that can be used.\n${text}`.trimEnd());
    await confirm(`${documentText(seen)}${text}`, name, "Nothing was confirmed.");
    confirmDocument(records, seen, personAtTerminal());
    process.stdout.write(
      `Confirmed ${makeVisibleLine(name)}: ${String(catalogue.tools.length)} tools. Their calls are judged as the requests that they make.\n`,
    );
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function requestLine({ annotations }: ServerTool): string | null {
  const binding = bindingIn(annotations);
  return binding === null ? null : `${binding.method} ${binding.url}`;
}
