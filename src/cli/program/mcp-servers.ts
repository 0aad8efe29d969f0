import type { Command } from "commander";
import type { servers, TrustOptions } from "../commands/mcp/servers.ts";
import { example, POLICY_HELP } from "./help.ts";

const load = async () => await import("../commands/mcp/servers.ts");

/** The commands about MCP servers that a person's settings name. */
export function addMcpServers(mcp: Command, setExitCode: (code: number) => void): void {
  mcp
    .command("servers")
    .description("list the MCP servers that your settings name, and whether you confirmed them")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder mcp servers"))
    .action(async (options: Parameters<typeof servers>[0]) => setExitCode((await load()).servers(options)));
  mcp
    .command("trust <server>")
    .description("start a server in its sandbox, show its tools or what changed of them, and confirm them; needs a terminal")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace whose policy's forbidden paths apply", ".")
    .addHelpText("after", example("warder mcp trust files"))
    .action(async (name: string, options: TrustOptions) => setExitCode(await (await load()).trust(name, options)));
  mcp
    .command("prompts <server> [prompt] [values...]")
    .description("list the prompts of a server that you confirmed, or print one; values are NAME=VALUE")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace whose policy's forbidden paths apply", ".")
    .addHelpText("after", example("warder mcp prompts files review file=src/a.ts"))
    .action(async (name: string, prompt: string | undefined, values: string[], options: TrustOptions) =>
      setExitCode(await (await import("../commands/mcp/prompts.ts")).prompts(name, prompt, values, options)),
    );
  mcp
    .command("login <server>")
    .description("sign in to a server at an address (OAuth), in your browser")
    .addHelpText("after", example("warder mcp login tracker"))
    .action(async (name: string) => setExitCode(await (await import("../commands/mcp/login.ts")).login(name)));
  mcp
    .command("logout <server>")
    .description("forget what you signed in for at a server")
    .addHelpText("after", example("warder mcp logout tracker"))
    .action(async (name: string) => setExitCode((await import("../commands/mcp/login.ts")).logout(name)));
}
