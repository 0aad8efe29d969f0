import { openClientRun } from "../../../app/run/client-run.ts";
import { openingText } from "../../../app/run/opening.ts";
import { readContext } from "../../../app/setup/context.ts";
import { AgentError } from "../../../base/errors.ts";
import { serveMcp } from "../../../serve/mcp/server.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";

const UNREAD_MS = 2_000;

type McpOptions = { policy: string; workspace: string; elicitation: boolean; version: string };

/** `warder mcp`: serves the tools to an MCP client over standard input and output, as one run. Everything else is said on standard error. */
export async function mcp(options: McpOptions): Promise<number> {
  const context = readContext(options.policy, options.workspace);
  const say = (text: string): void => void process.stderr.write(`warder: ${text}\n`);
  if (process.stdin.isTTY) say("an MCP client is expected at standard input. Put this command into your client's configuration.");
  return await withInterrupt(async (signal) => {
    const run = await openClientRun(context, (opening) => say(openingText(opening)));
    say(`run ${run.id}`);
    try {
      const { stdin: input, stdout: output } = process;
      const why = await serveMcp(run, { input, output, signal, version: options.version, mayElicit: options.elicitation, say });
      await run.end("done", why);
      leaveUnread(output);
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    } catch (error) {
      await run.end("failed", error instanceof AgentError ? error.code : "fault");
      throw error;
    }
  });
}

/** A client that lives on and reads nothing would keep the process for as long as it lives: what it was told is lost a while after all else is over. */
function leaveUnread(output: NodeJS.WriteStream): void {
  if (output.writableLength > 0) setTimeout(() => process.exit(), UNREAD_MS).unref();
}
