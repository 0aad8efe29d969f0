import { openClientRun } from "../../../app/run/client-run.ts";
import { openingText } from "../../../app/run/opening.ts";
import { readContext, type WorkspaceContext } from "../../../app/setup/context.ts";
import { AgentError } from "../../../base/errors.ts";
import { serveOverStdio } from "../../../serve/mcp/stdio.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { leaveUnread } from "../../process/leave-unread.ts";
import { serveOverHttp } from "./http.ts";

type McpOptions = { policy: string; workspace: string; elicitation: boolean; version: string; http?: string; tokenFile?: string };

/** `warder mcp`: serves the tools to MCP clients, to one over standard input and output or to several over HTTP. Everything else is said on standard error. */
export async function mcp({ http, tokenFile, ...options }: McpOptions): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`warder: ${text}\n`);
  const context = (): WorkspaceContext => readContext(options.policy, options.workspace);
  if (http === undefined && tokenFile !== undefined) throw new AgentError("usage", "--token-file is for --http.");
  return http === undefined ? await overStdio(context(), options, say) : await serveOverHttp({ ...options, context, address: http, tokenFile, say });
}

/** One client, one run. */
async function overStdio(context: WorkspaceContext, options: McpOptions, say: (text: string) => void): Promise<number> {
  if (process.stdin.isTTY) say("an MCP client is expected at standard input. Put this command into your client's configuration.");
  return await withInterrupt(async (signal) => {
    const run = await openClientRun(context, (opening) => say(openingText(opening)));
    say(`run ${run.id}`);
    try {
      const { stdin: input, stdout: output } = process;
      const why = await serveOverStdio(run, { input, output, signal, version: options.version, mayElicit: options.elicitation, say });
      await run.end("done", why);
      leaveUnread(output);
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    } catch (error) {
      await run.end("failed", error instanceof AgentError ? error.code : "fault");
      throw error;
    }
  });
}
