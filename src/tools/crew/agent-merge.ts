import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { agentMergeSchema } from "./schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedError, untrustedText } from "../contract/result.ts";
import type { HandedChange, ToolContext, ToolRequest, ToolResult, ToolSetting } from "../contract/tool.ts";
import { changeRequests } from "../files/change.ts";
import { describeChange } from "../files/diff.ts";
import { decodeTextFile } from "../files/text-file.ts";
import { MAX_FILE_BYTES } from "../files/read.ts";
import { changesText } from "./changes-text.ts";
import { commandOf, type MergedByCommand, namedIn, type Wanted } from "./merge-commands.ts";

type Merge = {
  readonly agent: string;
  readonly show?: string | undefined;
  readonly write?: readonly string[] | undefined;
} & MergedByCommand;

/** Shows what a sub-agent changed in an overlay of its own, and takes it into this workspace: each is judged as this run's own write or command. */
export const agentMergeTool = defineTool({
  name: "agent_merge",
  aliases: TOOL_NAMES.agent_merge,
  description:
    "Takes changes of a sub-agent of agent_apart into this workspace. With the agent alone it lists them; with show it gives the diff of one file. What changed here since the sub-agent began is a conflict, and stays.",
  schema: agentMergeSchema,
  traits: { tier: "workspace-write" },
  validate: (input) => {
    if (input.show !== undefined && takesAnything(input)) return "Either show, or what is to be taken.";
    // What a call has written is not what its command was ruled on.
    const both = input.write?.find((path) => [...(input.executable ?? []), ...(input.not_executable ?? [])].includes(path));
    return both === undefined ? null : `Take ${both} with write first, and whether it can be executed in a further call.`;
  },
  requests: (input, setting) => {
    const command = commandOf(input, setting);
    return [
      ...(input.show === undefined ? [] : [{ kind: "read", path: locate(input.show, setting), isRecursive: false } satisfies ToolRequest]),
      ...(input.write ?? []).flatMap((path) => changeRequests(locate(path, setting))),
      ...(input.delete ?? []).map((path): ToolRequest => ({ kind: "read", path: locate(path, setting), isRecursive: false })),
      ...(command === null ? [] : [{ kind: "command", text: command.text, cwd: setting.workspace } satisfies ToolRequest]),
    ];
  },
  takes: ({ agent, write = [] }, setting) => ({ agent, paths: write.map((path) => locate(path, setting)) }),
  async execute(input, context) {
    const { agent, show } = input;
    const changes = await context.handles.agents.changes(agent);
    if (changes === null) return trustedError("There is no sub-agent of this run with that name whose changes wait. The result of agent_apart names it.");
    if (show !== undefined) return await shown(agent, locate(show, context), changes, context);
    if (!takesAnything(input)) return untrustedText(changesText(changes, agent, context));
    const obstacle = obstacleTo(input, changes, context);
    if (obstacle !== null) return untrustedError(`${obstacle} Nothing was changed.`);
    return await merged(input, changes, context);
  },
});

function takesAnything({ write = [], ...others }: Merge): boolean {
  return write.length + namedIn(others).length > 0;
}

function obstacleTo(input: Merge, changes: readonly HandedChange[], setting: ToolSetting): string | null {
  const wanted: readonly Wanted[] = [...(input.write ?? []).map((path): Wanted => ({ path, as: "write" })), ...namedIn(input)];
  for (const { path: named, ...want } of wanted) {
    const path = locate(named, setting);
    const change = changes.find((each) => each.path === path);
    const shownPath = showPath(path, setting);
    if (change === undefined) return `The sub-agent has not changed ${shownPath}.`;
    if (change.obstacle !== null) return `${shownPath} cannot be merged: ${change.obstacle}.`;
    const fits = placesOf(change);
    if (!fits.includes(want.as)) return `${shownPath} is ${describe(change)} there: name it under ${fits.join(" or ")}.`;
    if (want.as === "links" && want.to !== change.link) return `${shownPath} leads to ${change.link ?? ""} there, and not to ${want.to ?? ""}.`;
  }
  return null;
}

/** Under which names a change can be taken. */
function placesOf({ kind, link, isDirectory, isExecutable }: HandedChange): readonly Wanted["as"][] {
  if (link !== undefined) return ["links"];
  if (kind === "deleted") return [isDirectory === true ? "remove_directories" : "delete"];
  const mode = isExecutable ? "executable" : "not_executable";
  return kind === "mode" ? [mode] : ["write", mode];
}

function describe({ kind, link, isDirectory }: HandedChange): string {
  const what = link !== undefined ? "a link" : isDirectory === true ? "a directory" : "a file";
  return kind === "mode" ? `${what} whose mode changed` : `${what} that was ${kind}`;
}

async function shown(agent: string, path: string, changes: readonly HandedChange[], context: ToolContext): Promise<ToolResult> {
  const change = changes.find((each) => each.path === path);
  if (change === undefined) return trustedError(`The sub-agent has not changed ${showPath(path, context)}.`);
  const here = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
  if (here.kind !== "completed" && !(here.kind === "failed" && here.code === "not-found")) return endingError(here, `reading ${showPath(path, context)}`);
  const file = here.kind === "completed" && here.result.kind === "read-file" ? here.result : null;
  const isSame = (file?.sha256 ?? null) === change.before;
  const state = isSame ? "" : " It is no longer what the sub-agent began with: merging it is a conflict.";
  const before = file === null ? "" : decodeTextFile(file.bytes)?.text;
  const after = change.kind === "deleted" ? "" : await context.handles.agents.text(agent, path);
  const difference = before === undefined || after === null ? "[no text]" : describeChange(before, after, 400);
  return untrustedText(`${change.kind} ${showPath(path, context)}, against this workspace.${state}\n${difference}`);
}

async function merged(input: Merge, changes: readonly HandedChange[], context: ToolContext): Promise<ToolResult> {
  const { agent, write = [], delete: deleted = [] } = input;
  const told: string[] = [];
  const failed: string[] = [];
  for (const named of write) {
    const path = locate(named, context);
    const outcome = await context.handles.agents.merge(agent, path);
    if (outcome.kind === "completed") told.push(`Merged ${showPath(path, context)}`);
    else failed.push(failureText(outcome, path, context));
  }
  for (const named of deleted) {
    const path = locate(named, context);
    const here = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
    const sha256 = here.kind === "completed" && here.result.kind === "read-file" ? here.result.sha256 : null;
    if (sha256 !== changes.find((each) => each.path === path)?.before)
      failed.push(`Not deleted: ${showPath(path, context)} changed here since the sub-agent began.`);
  }
  const command = commandOf(input, context);
  if (command !== null && failed.length > 0) failed.push("Nothing else was changed.");
  else if (command !== null) {
    const problem = await carriedOut(command.text, context);
    if (problem === null) told.push(...command.done);
    else failed.push(`Not all was done: ${problem}`);
  }
  const text = [...failed, ...told].join("\n");
  return failed.length === 0 ? untrustedText(text) : untrustedError(text);
}

const MOST_STDERR = 2000;

/** Why the command did not do it; null: it did. */
async function carriedOut(command: string, { handles, workspace }: ToolContext): Promise<string | null> {
  const outcome = await handles.shell.run(command, workspace);
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec") return `the command was not completed (${outcome.kind}).`;
  const { exitCode, stderr } = outcome.result;
  return exitCode === 0 ? null : stderr.text.trim().slice(0, MOST_STDERR);
}

function failureText(outcome: Parameters<typeof endingError>[0], path: string, context: ToolContext): string {
  const shownPath = showPath(path, context);
  if (outcome.kind === "failed" && outcome.code === "conflict") return `Not merged: ${shownPath} changed here since the sub-agent began.`;
  return "reason" in outcome && typeof outcome.reason === "string"
    ? `Not merged: ${shownPath}: ${outcome.reason}`
    : `Not merged: ${shownPath} (${outcome.kind}).`;
}
