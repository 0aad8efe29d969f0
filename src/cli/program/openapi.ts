import type { Command } from "commander";
import type { list, TrustOptions } from "../commands/openapi.ts";
import { example, POLICY_HELP } from "./help.ts";

const load = async () => await import("../commands/openapi.ts");

/** The commands about OpenAPI documents that a person's settings name. */
export function addOpenapi(program: Command, setExitCode: (code: number) => void): void {
  const openapi = program
    .command("openapi")
    .description("tools that are made of the operations of OpenAPI documents: list and confirm them")
    .addHelpText("after", example("warder openapi list"));
  openapi
    .command("list")
    .description("list the OpenAPI documents that your settings name, and whether you confirmed them")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder openapi list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode((await load()).list(options)));
  openapi
    .command("trust <document>")
    .description("show the operations of a document that become tools, or what changed of them, and confirm them; needs a terminal")
    .option("--policy <file>", POLICY_HELP, "supervised")
    .option("--workspace <directory>", "the workspace that the document must not lie in", ".")
    .addHelpText("after", example("warder openapi trust petstore"))
    .action(async (name: string, options: TrustOptions) => setExitCode(await (await load()).trust(name, options)));
}
