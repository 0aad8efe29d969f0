import type { Command } from "commander";
import { example, groupHelp } from "./help.ts";
import type { AddOptions, list } from "../commands/image.ts";

type SetExitCode = (code: number) => void;

// Loaded when it is called: no other command waits for it.
const load = async () => await import("../commands/image.ts");
const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The commands about images that a person prepares. */
export function addImages(program: Command, setExitCode: SetExitCode): void {
  const image = program
    .command("image")
    .description("what sandboxes run in: images with a project's dependencies, prepared by a person")
    .addHelpText("after", groupHelp("warder image", "list"));
  image
    .command("add")
    .description("prepare an image that a policy may name; needs a terminal")
    .argument("<name>", "lower-case letters, digits and dashes")
    .argument("[command...]", "with --workspace: what prepares it, after --")
    .option("--from <directory>", "build its Dockerfile: ARG WARDER_BASE, FROM ${WARDER_BASE}, …")
    .option("--workspace <directory>", "run the command over this directory, in a sandbox; nothing lands there")
    .option("--allow <host>", "with --workspace: a host that the command may reach; may be repeated", collect)
    .option("--keep <path:target>", "with --workspace: a path that the command leaves, and where it lies in the image; may be repeated", collect)
    .option("--policy <file>", "with --workspace: whose forbidden and protected paths hold", "unattended")
    .option("--base <image>", "the image to begin with: a prepared one or a digest; Warder's own by default")
    .addHelpText("after", example("warder image add web --workspace . --allow packages.example --keep node_modules:/node_modules -- npm ci"))
    .action(async (name: string, words: string[], options: AddOptions) => setExitCode(await (await load()).add(name, words, options)));
  image
    .command("list", { isDefault: true })
    .description("the images that were prepared here")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder image list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode(await (await load()).list(options)));
  image
    .command("remove <name>")
    .description("remove an image; policies that name it run nothing then")
    .addHelpText("after", example("warder image remove web"))
    .action(async (name: string) => setExitCode(await (await load()).remove(name)));
}
