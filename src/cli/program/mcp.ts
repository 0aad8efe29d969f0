import type { Command } from "commander";
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
