import type { Command } from "commander";
import type { doctor } from "../commands/doctor.ts";
import type { InitOptions } from "../commands/init.ts";
import type { SetupOptions } from "../commands/setup.ts";
import { example } from "./help.ts";

type SetExitCode = (code: number) => void;

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The commands that a person begins with: what this machine has, and what is missing. */
export function addBeginnings(program: Command, setExitCode: SetExitCode): void {
  program
    .command("setup")
    .description("make or load what is missing on this machine: the sandbox image; needs no root if Docker answers you")
    .option("--image-file <file>", "load the image from this file, which another machine saved")
    .option("--digest <digest>", "with --image-file: refuse the file unless its image has this digest")
    .option("--save-image <file>", "save the image into this new file, for a machine that cannot make it")
    .addHelpText("after", example("warder setup --image-file warder-sandbox.tar"))
    .action(async (options: SetupOptions) => setExitCode(await (await import("../commands/setup.ts")).setup(options)));
  program
    .command("init")
    .description("write a first policy for a project, from what is in its folder, and prove it by running the tests in the sandbox")
    .option("--workspace <directory>", "the project", ".")
    .option("--output <file>", "where the policy goes (default: policies/ in the state directory, where no run can write)")
    .option("--force", "write the policy anew if it is there")
    .option("--image", "prepare the image that its dependencies need; needs a terminal")
    .option("--allow <host>", "with --image: a host that the preparing command may reach (repeatable)", collect)
    .option("--no-test", "do not run the tests")
    .addHelpText("after", example("warder init --workspace ~/code/shop"))
    .action(async (options: InitOptions) => setExitCode(await (await import("../commands/init.ts")).init(options)));
  program
    .command("doctor")
    .description("check this machine: engine, image, sandbox, state; says what to type next")
    .option("--verbose", "show every property of the sandbox, expected and found")
    .option("--json", "print one JSON object")
    .option("--policy <file>", "the policy whose sandbox is opened and checked", "unattended")
    .addHelpText("after", example("warder doctor --policy unattended"))
    .action(async (options: Parameters<typeof doctor>[0]) => setExitCode(await (await import("../commands/doctor.ts")).doctor(options)));
}
