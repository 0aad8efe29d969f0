import { confirmServer, lookAtServer, namedServers, type NamedServer, type SeenServer } from "../../../app/mcp/trust.ts";
import { openRecords } from "../../../app/records/records.ts";
import { readContext } from "../../../app/setup/context.ts";
import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { confirm } from "../../input/confirmation.ts";
import { EXIT } from "../../process/exit-code.ts";
import { serverText, toolsText } from "./servers-text.ts";

/** `warder mcp servers`: which servers the settings name, and whether a person confirmed them. */
export function servers(options: { readonly json?: boolean }): number {
  const records = openRecords();
  try {
    const all = namedServers(records);
    if (options.json === true) process.stdout.write(`${visibleJson({ servers: all.map(plain) })}\n`);
    else if (all.length === 0) process.stdout.write("The settings name no MCP servers. See docs/guides/mcp-servers.md.\n");
    else for (const each of all) process.stdout.write(serverText(each));
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function plain({ server, pin, problem }: NamedServer): Readonly<Record<string, unknown>> {
  const { name, url, command, image, roots, hosts, env } = server;
  const confirmed = pin === null ? null : { by: pin.by, at: pin.confirmedAt, tools: pin.tools.map((tool) => tool.name) };
  return { name, ...(url === undefined ? {} : { url }), command, image: image ?? null, roots, hosts, env, confirmed, isOffered: problem === null };
}

export type TrustOptions = { readonly policy: string; readonly workspace: string };

/** `warder mcp trust`: a person at a terminal looks at a server's tools as they are now, and confirms them. */
export async function trust(name: string, { policy, workspace }: TrustOptions): Promise<number> {
  const context = readContext(policy, workspace);
  const records = openRecords();
  try {
    const seen = await lookAtServer(records, context, name);
    if (isAsConfirmed(seen)) {
      process.stdout.write(`${makeVisibleLine(name)} is as it was confirmed: ${String(seen.catalogue.tools.length)} tools.\n`);
      return EXIT.done;
    }
    if (seen.catalogue.tools.length === 0)
      throw new AgentError("usage", `The MCP server ${name} offers no tool that can be used.\n${toolsText(seen)}`.trimEnd());
    await confirm(`${serverText(seen)}${toolsText(seen)}`, name, "Nothing was confirmed.");
    confirmServer(records, seen, personAtTerminal());
    process.stdout.write(
      `Confirmed ${makeVisibleLine(name)}: ${String(seen.catalogue.tools.length)} tools. A policy names them, such as: tools: { allow: ["@${name}"] }\n`,
    );
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function isAsConfirmed({ problem, changes }: SeenServer): boolean {
  return problem === null && changes.length === 0;
}
