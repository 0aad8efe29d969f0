import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { quoteArgv } from "../../shell/render.ts";
import { defineTool } from "../contract/define.ts";
import { applyPatchSchema } from "../contract/file-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { otherNames } from "../contract/other-names.ts";
import { endingError, trustedError, untrustedError, untrustedText } from "../contract/result.ts";
import type { ToolContext, ToolRequest, ToolResult, ToolSetting } from "../contract/tool.ts";
import { changeRequests } from "./change.ts";
import { describeChange } from "./diff.ts";
import { pathsOf, readPatch } from "./patch.ts";
import type { Patch, PatchOperation } from "./patch-text.ts";
import { patchText } from "./patched-text.ts";
import { MAX_FILE_BYTES } from "./read.ts";
import { decodeTextFile, encodeTextFile, whyNotRewritten } from "./text-file.ts";

type PatchInput = z.output<typeof applyPatchSchema>;

/** Changes several files by one patch: all of it is made, or nothing. */
export const applyPatchTool = defineTool({
  name: "apply_patch",
  aliases: TOOL_NAMES.apply_patch,
  description:
    "Adds, updates, moves and deletes files by one patch: all of it or nothing. Takes unified diffs (git diff), and the form *** Begin Patch / *** Add File: / *** Update File: / *** Move to: / *** Delete File: / *** End Patch.",
  schema: applyPatchSchema,
  traits: { exclusiveSandbox: true, tier: "workspace-write" },
  prepare: otherNames({ input: "patch", patchText: "patch", patch_text: "patch", diff: "patch" }),
  validate: ({ patch }) => {
    const read = readPatch(patch);
    return read.kind === "problem" ? read.problem : null;
  },
  requests: (input, setting) => {
    const patch = patchOf(input);
    const command = closingCommand(patch, setting);
    const changes = patch.operations.flatMap(pathsOf).flatMap((path) => changeRequests(locate(path, setting)));
    return command === null ? changes : [...changes, { kind: "command", text: command, cwd: setting.workspace } satisfies ToolRequest];
  },
  async execute(input, context) {
    const patch = patchOf(input);
    const twice = pathTwice(patch, context);
    if (twice !== null) return trustedError(`The patch names ${twice} more than once. Put all that becomes of a file into one part. Nothing was changed.`);
    const planned = await planPatch(patch, context);
    if ("content" in planned) return planned;
    return await landPatch(planned, closingCommand(patch, context), context);
  },
});

// The text was read when the call was validated.
function patchOf({ patch }: PatchInput): Patch {
  const read = readPatch(patch);
  return read.kind === "patch" ? read : { kind: "patch", matching: "exact", operations: [] };
}

function pathTwice({ operations }: Patch, setting: ToolSetting): string | null {
  const seen = new Set<string>();
  for (const path of operations.flatMap(pathsOf)) {
    const located = locate(path, setting);
    if (seen.has(located)) return showPath(located, setting);
    seen.add(located);
  }
  return null;
}

/**
 * What no file verb does: moves and deletions, as one command that is judged as in the shell. It runs last. Null: there are none.
 * Every directory is looked at before the first file moves, because neither a move nor a deletion can be put back.
 */
function closingCommand({ operations }: Patch, setting: ToolSetting): string | null {
  const moves = operations.flatMap((operation) =>
    operation.kind === "update" && operation.moveTo !== null ? [[locate(operation.path, setting), locate(operation.moveTo, setting)] as const] : [],
  );
  const deleted = operations.flatMap((operation) => (operation.kind === "delete" ? [locate(operation.path, setting)] : []));
  if (moves.length === 0 && deleted.length === 0) return null;
  const targets = new Set(moves.map(([, target]) => directoryOf(target)));
  const directories = new Set([...targets, ...moves.map(([path]) => directoryOf(path)), ...deleted.map(directoryOf)]);
  return [
    ...(targets.size === 0 ? [] : [["mkdir", "-p", "--", ...targets]]),
    ...[...directories].map((directory) => ["test", "-w", directory]),
    ...moves.map(([path, target]) => ["mv", "-nT", "--", path, target]),
    ...(deleted.length === 0 ? [] : [["rm", "--", ...deleted]]),
  ]
    .map(quoteArgv)
    .join(" && ");
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

/** One file as it is (null: it is not there) and as it shall be; a deletion and a plain move write nothing. */
type Step = {
  readonly path: string;
  readonly before: { readonly content: string; readonly sha256: string } | null;
  readonly after: string | null;
  readonly told: string;
};

async function planPatch(patch: Patch, context: ToolContext): Promise<readonly Step[] | ToolResult> {
  const steps: Step[] = [];
  for (const operation of patch.operations) {
    const step = await planOperation(operation, patch.matching, context);
    if ("content" in step) return step;
    steps.push(step);
  }
  return steps;
}

async function planOperation(operation: PatchOperation, matching: Patch["matching"], context: ToolContext): Promise<Step | ToolResult> {
  const path = locate(operation.path, context);
  const shown = showPath(path, context);
  const existing = await context.handles.files.read(path, 0, MAX_FILE_BYTES);
  if (existing.kind !== "completed" && !(operation.kind === "add" && existing.kind === "failed" && existing.code === "not-found"))
    return withNothing(endingError(existing, `patching ${shown}`));
  if (operation.kind === "add") {
    if (existing.kind === "completed") return trustedError(`${shown} exists already, so it cannot be added. Update it instead. Nothing was changed.`);
    return {
      path,
      before: null,
      after: operation.text,
      told: `Added ${shown} (${Buffer.byteLength(operation.text)} bytes)\n${describeChange("", operation.text)}`,
    };
  }
  if (existing.kind !== "completed" || existing.result.kind !== "read-file") return trustedError("Failed: the sandbox answered with something else.");
  const { bytes, size, sha256 } = existing.result;
  const plain: Step = { path, before: { content: "", sha256 }, after: null, told: `Deleted ${shown}` };
  if (operation.kind === "delete" && operation.hunks.length === 0) return plain;
  if (operation.kind === "update" && operation.moveTo !== null) {
    const target = locate(operation.moveTo, context);
    const there = await context.handles.files.read(target, 0, 0);
    if (there.kind !== "failed" || there.code !== "not-found")
      return trustedError(`${showPath(target, context)}, to which the patch moves a file, exists already or cannot be looked at. Nothing was changed.`);
  }
  const moved = operation.kind === "delete" || operation.moveTo === null ? "" : ` and moved it to ${showPath(locate(operation.moveTo, context), context)}`;
  if (operation.hunks.length === 0) return { ...plain, told: `Left ${shown} as it is${moved}` };
  if (size > MAX_FILE_BYTES) return trustedError(`${shown} is larger than apply_patch opens (10 MiB). Nothing was changed.`);
  const file = decodeTextFile(bytes);
  if (!file?.isExact) return trustedError(`${shown}: ${whyNotRewritten(file)}`);
  const patched = patchText(file.text, operation.hunks, matching);
  if (patched.kind === "unmatched")
    return untrustedError(
      `${shown}: hunk ${patched.hunk} of ${operation.hunks.length} has no place: ${patched.problem}. Read the file, and make the patch of what it has. Nothing was changed.`,
    );
  if (operation.kind === "delete")
    return patched.text === ""
      ? plain
      : untrustedError(`${shown} has more lines than the patch that deletes it. Read the file, and make the patch of what it has. Nothing was changed.`);
  const after = encodeTextFile(patched.text, file.hasByteOrderMark);
  if (after.length > MAX_FILE_BYTES) return trustedError(`${shown} would be longer than apply_patch writes (10 MiB). Nothing was changed.`);
  const before = { content: encodeTextFile(file.text, file.hasByteOrderMark), sha256 };
  return { path, before, after, told: `Updated ${shown}${moved}\n${describeChange(file.text, patched.text)}` };
}

function withNothing(result: ToolResult): ToolResult {
  return { ...result, content: [...result.content, { kind: "text", text: "Nothing was changed." }] };
}

type Written = { readonly step: Step; readonly sha256: string };

async function landPatch(steps: readonly Step[], command: string | null, context: ToolContext): Promise<ToolResult> {
  const written: Written[] = [];
  // What exists first: it can be put back.
  for (const step of steps.toSorted((left, right) => Number(left.before === null) - Number(right.before === null))) {
    if (step.after === null) continue;
    const outcome = await context.handles.files.write(step.path, step.after, step.before?.sha256 ?? null);
    if (outcome.kind !== "completed") return await takenBack(endingError(outcome, `writing ${showPath(step.path, context)}`), written, context);
    if (outcome.result.kind === "write-file") written.push({ step, sha256: outcome.result.sha256 });
  }
  if (command !== null) {
    const outcome = await context.handles.shell.run(command, context.workspace);
    if (outcome.kind !== "completed") return await takenBack(endingError(outcome, "moving and deleting"), written, context, await gone(steps, context));
    if (outcome.result.kind === "exec" && outcome.result.exitCode !== 0) {
      const reason = outcome.result.stderr.text.slice(0, 1000) || "A directory may not be written.";
      return await takenBack(untrustedError(`Failed: moving and deleting. ${reason}`), written, context, await gone(steps, context));
    }
  }
  for (const { step, sha256 } of written) context.seen.set(step.path, sha256);
  return untrustedText(steps.map(({ told }) => told).join("\n"), { files: steps.length });
}

/** Files that were to be moved or deleted as they are, and are not there any more. */
async function gone(steps: readonly Step[], context: ToolContext): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { path, before, after } of steps) {
    if (before === null || after !== null) continue;
    const there = await context.handles.files.read(path, 0, 0);
    if (there.kind !== "completed") paths.push(path);
  }
  return paths;
}

/** Puts back what was written before something failed; says what could not be. */
async function takenBack(failure: ToolResult, written: readonly Written[], context: ToolContext, lost: readonly string[] = []): Promise<ToolResult> {
  const left = [...lost];
  const made: string[] = [];
  for (const { step, sha256 } of written.toReversed()) {
    if (step.before === null) made.push(step.path);
    else {
      const outcome = await context.handles.files.write(step.path, step.before.content, sha256);
      if (outcome.kind !== "completed") left.push(step.path);
    }
  }
  if (made.length > 0) {
    const outcome = await context.handles.files.takeBack(made);
    if (outcome.kind !== "completed" || outcome.result.kind !== "exec" || outcome.result.exitCode !== 0) left.push(...made);
  }
  const told =
    left.length === 0
      ? "Nothing was changed."
      : `These files may be changed, and could not be put back: ${left.map((path) => showPath(path, context)).join(", ")}. Look at them.`;
  return { ...failure, content: [...failure.content, { kind: "text", text: told }] };
}
