import type { Command } from "commander";
import type { MemoryOptions } from "../commands/memory.ts";
import { example } from "./help.ts";

/** `warder memory`: what agents keep for later runs. */
export function addMemory(program: Command, setExitCode: (code: number) => void): void {
  const memory = program
    .command("memory")
    .description("look at what agents keep for later runs, and delete it")
    .addHelpText("after", example("warder memory list"));
  memory
    .command("list", { isDefault: true })
    .description("list the entries, the newest first: id, whose, category, run, beginning of the text")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder memory list"))
    .action(async (options: MemoryOptions) => setExitCode((await import("../commands/memory.ts")).listMemory(options)));
  memory
    .command("show <id>")
    .description("show one entry, and where all came from that its writer had been given")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder memory show memory-0123456789ab"))
    .action(async (id: string, options: MemoryOptions) => setExitCode((await import("../commands/memory.ts")).showMemory(id, options)));
  memory
    .command("forget <id...>")
    .description("delete entries; the audit log keeps their SHA-256")
    .addHelpText("after", example("warder memory forget memory-0123456789ab"))
    .action(async (ids: readonly string[]) => setExitCode((await import("../commands/memory.ts")).forgetMemory(ids)));
  memory
    .command("export")
    .description("print all entries as JSON, one a line, the newest first")
    .addHelpText("after", example("warder memory export > memory.jsonl"))
    .action(async () => setExitCode((await import("../commands/memory.ts")).exportMemory()));
}
