import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { quoteArgv } from "../../shell/render.ts";
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

type Merge = {
  readonly agent: string;
  readonly show?: string | undefined;
  readonly write?: readonly string[] | undefined;
  readonly delete?: readonly string[] | undefined;
};

/** Shows what a sub-agent changed in an overlay of its own, and takes it into this workspace: each file is judged as one that this run writes or deletes. */
export const agentMergeTool = defineTool({
  name: "agent_merge",
  aliases: TOOL_NAMES.agent_merge,
  description:
    "Takes changes of a sub-agent of agent_apart into this workspace. With the agent alone it lists them; with show it gives the diff of one file. A file that changed here since the sub-agent began is a conflict, and stays.",
  schema: agentMergeSchema,
  traits: { tier: "workspace-write" },
  validate: ({ show, write = [], delete: deleted = [] }) =>
    show !== undefined && write.length + deleted.length > 0 ? "Either show, or write and delete." : null,
  requests: (input, setting) => {
    const command = deletion(input, setting);
    return [
      ...(input.show === undefined ? [] : [{ kind: "read", path: locate(input.show, setting), isRecursive: false } satisfies ToolRequest]),
      ...(input.write ?? []).flatMap((path) => changeRequests(locate(path, setting))),
      ...(input.delete ?? []).map((path): ToolRequest => ({ kind: "read", path: locate(path, setting), isRecursive: false })),
      ...(command === null ? [] : [{ kind: "command", text: command, cwd: setting.workspace } satisfies ToolRequest]),
    ];
  },
  async execute(input, context) {
    const { agent, show, write = [], delete: deleted = [] } = input;
    const changes = await context.handles.agents.changes(agent);
    if (changes === null) return trustedError("There is no sub-agent of this run with that name whose changes wait. The result of agent_apart names it.");
    if (show !== undefined) return await shown(agent, locate(show, context), changes, context);
    if (write.length + deleted.length === 0) return untrustedText(changesText(changes, agent, context));
    const obstacle = obstacleTo(input, changes, context);
    if (obstacle !== null) return untrustedError(`${obstacle} Nothing was changed.`);
    return await merged(input, changes, context);
  },
});

function deletion({ delete: deleted = [] }: Merge, setting: ToolSetting): string | null {
  return deleted.length === 0 ? null : quoteArgv(["rm", "--", ...deleted.map((path) => locate(path, setting))]);
}

function obstacleTo({ write = [], delete: deleted = [] }: Merge, changes: readonly HandedChange[], setting: ToolSetting): string | null {
  for (const [paths, isDeletion] of [[write, false] as const, [deleted, true] as const])
    for (const named of paths) {
      const path = locate(named, setting);
      const change = changes.find((each) => each.path === path);
      const shownPath = showPath(path, setting);
      if (change === undefined) return `The sub-agent has not changed ${shownPath}.`;
      if (change.obstacle !== null) return `${shownPath} cannot be merged: ${change.obstacle}.`;
      if ((change.kind === "deleted") !== isDeletion) return `The sub-agent has ${change.kind} ${shownPath}: name it under ${isDeletion ? "write" : "delete"}.`;
    }
  return null;
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
  const command = deletion(input, context);
  if (command !== null && failed.length === 0) {
    const outcome = await context.handles.shell.run(command, context.workspace);
    const isDone = outcome.kind === "completed" && outcome.result.kind === "exec" && outcome.result.exitCode === 0;
    if (isDone) told.push(...deleted.map((path) => `Deleted ${showPath(locate(path, context), context)}`));
    else failed.push("Not deleted: the command failed.");
  } else if (command !== null) failed.push("Nothing was deleted.");
  const text = [...failed, ...told].join("\n");
  return failed.length === 0 ? untrustedText(text) : untrustedError(text);
}

function failureText(outcome: Parameters<typeof endingError>[0], path: string, context: ToolContext): string {
  const shownPath = showPath(path, context);
  if (outcome.kind === "failed" && outcome.code === "conflict") return `Not merged: ${shownPath} changed here since the sub-agent began.`;
  return "reason" in outcome && typeof outcome.reason === "string"
    ? `Not merged: ${shownPath}: ${outcome.reason}`
    : `Not merged: ${shownPath} (${outcome.kind}).`;
}
