import { givenBy, promptsOf, textOfPrompt } from "../../../app/mcp/prompts.ts";
import { readContext } from "../../../app/setup/context.ts";
import type { Prompt } from "../../../mcp/prompts.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import type { TrustOptions } from "./servers.ts";

/** `warder mcp prompts`: the prompts of a server that a person confirmed, or the text of one. */
export async function prompts(server: string, prompt: string | undefined, values: readonly string[], { policy, workspace }: TrustOptions): Promise<number> {
  const context = readContext(policy, workspace);
  const given = givenBy(values);
  const text = await withInterrupt(async (signal) =>
    prompt === undefined
      ? promptLines(server, await promptsOf(context, server, signal)).join("\n")
      : await textOfPrompt(context, { server, prompt, given }, signal),
  );
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

/** A line for each, as it is typed. */
export function promptLines(server: string, all: readonly Prompt[]): readonly string[] {
  if (all.length === 0) return [`The MCP server ${server} has no prompts.`];
  return all.map(({ name, description, arguments: wanted }) => {
    const values = wanted.map((each) => (each.isRequired ? `${each.name}=…` : `[${each.name}=…]`));
    return [`/${server}:${name}`, ...values, ...(description === "" ? [] : [` ${description}`])].join(" ");
  });
}
