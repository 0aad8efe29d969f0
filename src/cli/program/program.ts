import { Command } from "commander";
import type { inbox } from "../commands/inbox.ts";
import { addCompletions } from "./completions.ts";
import { example, ownVersion, PROGRAM_HELP, sayMistakes } from "./help.ts";
import { addApprovals } from "./approvals.ts";
import { addAudit } from "./audit.ts";
import { addBeginnings } from "./beginnings.ts";
import { addPolicy } from "./policy.ts";
import { addRuns } from "./runs.ts";
import { addHook } from "./hook.ts";
import { addAcp, addMcp } from "./mcp.ts";
import { addOpenapi } from "./openapi.ts";
import { addWork } from "./work.ts";
import { addImages } from "./image.ts";
import { addMemory } from "./memory.ts";
import { addLimits } from "./limits.ts";
import { addSchedule } from "./schedule.ts";
import { addSkills } from "./skills.ts";

type SetExitCode = (code: number) => void;

/**
 * The command line. Each command's code is loaded when it is called, so that `check`, which other agents
 * start for every call, stays fast.
 */
export function buildProgram(setExitCode: SetExitCode): Command {
  const program = new Command("warder")
    .description("An agent that can be left alone: a reviewed policy decides, a sandbox contains, an audit log proves.")
    .version(ownVersion(), "-V, --version", "print the version")
    .exitOverride()
    // What stands behind a command is for it, and for no command above it.
    .enablePositionalOptions()
    .addHelpText("after", PROGRAM_HELP);
  addWork(program, setExitCode);
  addHook(program, setExitCode);
  addMcp(program, setExitCode);
  addOpenapi(program, setExitCode);
  addAcp(program, setExitCode);
  addBeginnings(program, setExitCode);
  addPolicy(program, setExitCode);
  addApprovals(program, setExitCode);
  addAudit(program, setExitCode);
  program
    .command("inbox")
    .description("list what waits for you over all runs, oldest first: questions, changes to review, failed and refused jobs")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder inbox"))
    .action(async (options: Parameters<typeof inbox>[0]) => setExitCode((await import("../commands/inbox.ts")).inbox(options)));
  addRuns(program, setExitCode);
  addMemory(program, setExitCode);
  addSkills(program, setExitCode);
  addSchedule(program, setExitCode);
  addLimits(program, setExitCode);
  addImages(program, setExitCode);
  addCompletions(program, setExitCode);
  sayMistakes(program);
  return program;
}
