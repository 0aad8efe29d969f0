import { labelOf } from "../../policy/label.ts";
import type { SandboxAction } from "../../sandbox/runtime.ts";
import type { Outcome } from "../../sandbox/outcome.ts";
import { readDocument } from "../../sandbox/documents/ask.ts";
import { askSyntax } from "../../sandbox/syntax/ask.ts";
import { isLanguageServer } from "../../tools/code/servers.ts";
import type { SkillText } from "../../tools/contract/run-handles.ts";
import type { Handles } from "../../tools/contract/tool.ts";
import { browserCommand, requestCommand } from "../../tools/contract/web-command.ts";
import { coversCommand, coversRead, coversWrite, forbiddenSearchArgument } from "./action-coverage.ts";
import { type ArtifactPlace, readArtifact } from "../kept/artifacts.ts";
import { conversation } from "./conversation.ts";
import { agentsHandle } from "./delegate.ts";
import { memoryHandle } from "./memory.ts";
import { planHandle } from "./leave-plan.ts";
import { scriptsHandle } from "./scripts.ts";
import { serverAsksHandle } from "./server-asks.ts";
import { scheduleHandle } from "../run-schedule.ts";
import { personHandle } from "../message.ts";
import { pause } from "../pause.ts";
import { runState } from "../run-state.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import type { Progress } from "./progress.ts";
import { note, performAction, refused } from "./perform-action.ts";

/** A search is for reading: it needs no more time than this, whatever the policy gives to commands. */
const SEARCH_TIMEOUT_MS = 30_000;

/** A language server reads a project before it answers. */
const CONVERSATION_TIMEOUT_MS = 60_000;

/** What one look at a job gives. */
const MAX_JOB_TEXT = 64 * 1024;
const MAX_JOB_WAIT_MS = 60_000;
/** What the supervisor takes. */
const MAX_JOB_MS = 24 * 60 * 60_000;

/** `--`: a text that begins with `-` is a command as it was judged, not an option of bash. */
const bash = (text: string): readonly string[] => ["/bin/bash", "--norc", "--noprofile", "-c", "--", text];

const placeOf = ({ gate: { parts } }: RuledCall): ArtifactPlace => ({ artifacts: parts.store.paths.artifacts, runId: parts.runId });

/** What a person installed and confirmed is no stranger's word; of a file that they were not shown nobody knows whose it is. */
function readSkill(call: RuledCall, progress: Progress, { name, file }: { readonly name: string; readonly file: string | null }): SkillText {
  const { readSkill: read, runId } = call.gate.parts;
  if (progress.isOver || read === undefined) return { problem: "There are no skills here." };
  const found = read(name, file);
  if ("problem" in found) return found;
  const source = file === null ? `skill ${name}` : `skill ${name}, ${file}`;
  progress.labels.push(labelOf({ trust: found.isShown ? "trusted" : "untrusted", isSensitive: false, source, call: call.ruling.callId, run: runId }));
  return found;
}

/** The handles of one call: each action must be covered by what was ruled on, and goes through the one door. */
export function createHandles(call: RuledCall, progress: Progress): Handles {
  const limits = call.gate.parts.policy.sandbox;
  // A job has the time that the policy gives to the run.
  const jobLimitMs = Math.min(call.gate.parts.policy.limits.run.minutes * 60_000, MAX_JOB_MS);
  const perform = (isCovered: boolean, action: SandboxAction): Promise<Outcome> => {
    if (isCovered) return performAction(call, progress, action);
    const outcome = refused(`the call did not ask for this ${action.kind}`);
    note(progress, outcome);
    return Promise.resolve(outcome);
  };
  const exec = (argv: readonly string[], cwd: string, timeoutMs: number): SandboxAction => ({
    kind: "exec",
    argv,
    cwd,
    env: call.binding.env,
    timeoutMs,
    outputBytes: limits.outputBytes,
  });
  const made = new Set<string>();
  const write = async (path: string, content: string, expected?: string | null): Promise<Outcome> => {
    const outcome = await perform(coversWrite(call.wanted, path), { kind: "write-file", path, content, ...(expected === undefined ? {} : { expected }) });
    if (outcome.kind === "completed" && outcome.result.kind === "write-file" && outcome.result.created) made.add(path);
    return outcome;
  };
  return {
    agents: agentsHandle(call, progress, perform),
    plan: planHandle(call, progress),
    memory: memoryHandle(call, progress),
    scripts: scriptsHandle(call, progress),
    person: personHandle(call, progress),
    serverAsks: serverAsksHandle(call, progress),
    schedule: scheduleHandle(call, progress),
    // What the run was told at its start, and what it has spent, is no secret of its own.
    run: { state: () => Promise.resolve(runState(call)) },
    skills: {
      read: (name, file) => Promise.resolve(readSkill(call, progress, { name, file })),
    },
    clock: {
      sleep: async (ms) => {
        const isOver = progress.isOver || !(await pause(call.gate.parts.clock, ms, call.signal));
        if (isOver) note(progress, { kind: "cancelled", partial: null, durationMs: 0 });
        return !isOver;
      },
    },
    // It computes with what a tool has read already, and needs no permit for that.
    syntax: { read: (task) => (progress.isOver ? Promise.resolve([]) : askSyntax(task, call.signal)) },
    // The same, of what a request brought.
    documents: {
      read: (task) => (progress.isOver ? Promise.resolve({ kind: "unread", problem: "the call has ended" }) : readDocument(task, call.signal)),
    },
    web: {
      request: (request) =>
        perform(coversCommand(call.wanted, requestCommand(request), call.gate.parts.setting.workspace), {
          kind: "request",
          request: { ...request, timeoutMs: Math.min(request.timeoutMs, limits.commandTimeoutMs) },
        }),
    },
    browser: {
      perform: (order) =>
        perform(coversCommand(call.wanted, browserCommand(order), call.gate.parts.setting.workspace), {
          kind: "browse",
          order: { ...order, timeoutMs: Math.min(order.timeoutMs, limits.commandTimeoutMs) },
        }),
    },
    artifacts: {
      read: (id, from, length) => {
        const page = progress.isOver ? null : readArtifact(placeOf(call), id, from, length);
        progress.labels.push(...(page?.labels ?? []));
        return Promise.resolve(page);
      },
    },
    files: {
      read: (path, offset, length) => perform(coversRead(call.wanted, path, false), { kind: "read-file", path, offset, length }),
      write,
      create: (path, content) => perform(coversWrite(call.wanted, path), { kind: "write-file", path, content, encoding: "base64", expected: null }),
      takeBack: async (paths) => {
        const isOwn = paths.length > 0 && paths.every((path) => made.has(path));
        const outcome = await perform(isOwn, exec(["rm", "-f", "--", ...paths], call.gate.parts.setting.workspace, SEARCH_TIMEOUT_MS));
        // What stands there afterwards is somebody else's.
        if (isOwn) for (const path of paths) made.delete(path);
        return outcome;
      },
      list: (path, depth, maxEntries) => perform(coversRead(call.wanted, path, depth > 1), { kind: "list", path, depth, maxEntries }),
      search: (path, text, within) => perform(coversRead(call.wanted, path, true), { kind: "search", path, text, ...within }),
    },
    jobs: {
      start: (text, cwd) =>
        perform(coversCommand(call.wanted, text, cwd), { kind: "start-job", argv: bash(text), cwd, env: call.binding.env, timeoutMs: jobLimitMs }),
      // What a job prints, and its end, come of the call that started it.
      read: (job, waitMs, from) =>
        perform(true, {
          kind: "read-job",
          job,
          maxCharacters: MAX_JOB_TEXT,
          waitMs: Math.min(waitMs, MAX_JOB_WAIT_MS),
          ...(from === undefined ? {} : { from }),
        }),
      stop: (job) => perform(true, { kind: "stop-job", job }),
      list: () => perform(true, { kind: "list-jobs" }),
    },
    shell: {
      // The policy's limit is an upper bound; a call may only ask for less.
      run: (text, cwd, timeoutMs) =>
        perform(coversCommand(call.wanted, text, cwd), exec(bash(text), cwd, Math.min(timeoutMs ?? limits.commandTimeoutMs, limits.commandTimeoutMs))),
      // A command that a tool chose is fed nothing: with the right input a harmless one does anything.
      converse: async (text, cwd, messages) => {
        const isCovered = coversCommand(call.wanted, text, cwd) && isLanguageServer(text);
        const outcome = await perform(isCovered, exec(conversation(text, messages), cwd, Math.min(CONVERSATION_TIMEOUT_MS, limits.commandTimeoutMs)));
        progress.exitCode = null;
        return outcome;
      },
      search: async (path, rgArguments) => {
        const isCovered = coversRead(call.wanted, path, true) && path.startsWith("/") && forbiddenSearchArgument(rgArguments) === null;
        const outcome = await perform(
          isCovered,
          exec(["rg", "--no-config", ...rgArguments, "--", path], call.gate.parts.setting.workspace, Math.min(SEARCH_TIMEOUT_MS, limits.commandTimeoutMs)),
        );
        // It tells how much was found, and is no command's that somebody asked for.
        progress.exitCode = null;
        return outcome;
      },
    },
  };
}
