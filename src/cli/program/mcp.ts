import type { Command } from "commander";
import type { acp } from "../commands/acp/acp.ts";
import type { mcp } from "../commands/mcp/mcp.ts";
import { example, ownVersion, POLICY_HELP } from "./help.ts";
import { addMcpServers } from "./mcp-servers.ts";

/** The server that MCP clients start, and below it the commands about the servers of others. */
export function addMcp(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command("mcp")
    .description(
      "serve the tools to an MCP client, over standard input and output or HTTP: your policy decides each call, the sandbox runs it, the log records it",
    )
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the directory that the tools work on", ".")
    .option("--no-elicitation", "leave no question to the client's own person: all are answered by `warder approvals`")
    .option("--http <address>", "serve at [HOST:]PORT instead; HOST is 127.0.0.1 unless you name one")
    .option("--token-file <file>", "the token that HTTP clients send (default: $WARDER_MCP_TOKEN, else a file that is made)")
    .addHelpText("after", example("warder mcp --policy supervised --workspace ."))
    .action(async (options: Omit<Parameters<typeof mcp>[0], "version">) =>
      setExitCode(await (await import("../commands/mcp/mcp.ts")).mcp({ ...options, version: ownVersion() })),
    );
  addMcpServers(command, setExitCode);
}

/** The agent that editors start. */
export function addAcp(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("acp")
    .description("be the agent of an editor that speaks the Agent Client Protocol, over standard input and output: each session is a run")
    .option("--policy <file>", `${POLICY_HELP} (default: supervised; for a session that goes on, its own)`)
    .option("--model <provider:name>", "the model, as with `warder run` (default: $WARDER_MODEL, else the settings)")
    .option("--no-editor-answers", "leave no question to the editor's own person: all are answered by `warder approvals`")
    .addHelpText("after", example("warder acp --policy supervised --model anthropic:claude-sonnet-4-5"))
    .action(async (options: Omit<Parameters<typeof acp>[0], "version">) =>
      setExitCode(await (await import("../commands/acp/acp.ts")).acp({ ...options, version: ownVersion() })),
    );
}
