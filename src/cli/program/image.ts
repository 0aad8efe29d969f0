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
    .description("prepare sandbox images that hold a project's dependencies")
    .addHelpText("after", groupHelp("warder image", "list"));
  image
    .command("add")
    .description("prepare an image that a policy may name; needs a terminal")
    .argument("<name>", "lower-case letters, digits and dashes")
    .argument("[command...]", "with --workspace: the command that prepares the image, after --, as `warder exec` takes it")
    .option("--from <directory>", "build the Dockerfile there; it begins: ARG WARDER_BASE, FROM ${WARDER_BASE}")
    .option("--browser", "an image with Chromium, in which the tool browser works; no policy names it")
    .option("--workspace <directory>", "run the command in a sandbox over this directory, which stays unchanged")
    .option("--allow <host>", "with --workspace: a host that the command may reach (repeatable)", collect)
    .option("--registry <client>", "with --workspace: reach the registry as this account's client is configured, certificates and token included: npm")
    .option("--keep <path:target>", "with --workspace: a path that the command made, and where it goes in the image (repeatable)", collect)
    .option("--policy <file>", "with --workspace: the policy whose forbidden and protected paths apply", "unattended")
    .option("--base <image>", "the base image: a prepared one or a digest (default: Warder's own)")
    .addHelpText("after", example("warder image add web --workspace . --allow packages.example --keep node_modules:/node_modules -- npm ci"))
    .action(async (name: string, words: string[], options: AddOptions) => setExitCode(await (await load()).add(name, words, options)));
  image
    .command("list", { isDefault: true })
    .description("list the prepared images")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder image list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode(await (await load()).list(options)));
  image
    .command("remove <name>")
    .description("remove an image; policies that name it can then run nothing")
    .addHelpText("after", example("warder image remove web"))
    .action(async (name: string) => setExitCode(await (await load()).remove(name)));
}
