import { type PromptResponse, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk";
import { createInbox, type Words } from "../../agent/inbox.ts";
import { hasBegun, performTask, type TaskEnd } from "../../app/conversation/task.ts";
import { modelsOfNewRun } from "../../app/models/configured.ts";
import { openingText } from "../../app/run/opening.ts";
import { readContext, type WorkspaceContext } from "../../app/setup/context.ts";
import { AgentError } from "../../base/errors.ts";
import { type AskEditor, editorChannel, elsewhereChannel } from "./ask-editor.ts";
import { endingOf } from "./ending.ts";
import { createUpdates, ownWords } from "./updates.ts";

/** What a person named for all sessions; absent: `supervised` and the configured models, and for a run that goes on its own. */
export type Named = { readonly policy?: string; readonly model?: string };

export const DEFAULT_POLICY = "supervised";

/** The editor at the other end. */
type Editor = {
  /** Settled once it was taken, or nobody is there any more. Never rejects. */
  readonly update: (update: SessionUpdate) => Promise<void>;
  readonly ask: AskEditor;
  /** Whether its person may answer questions there. */
  readonly mayAnswer: boolean;
  /** Says something to whoever reads the process's messages. */
  readonly say: (text: string) => void;
};

/** A conversation of an editor: one run, which each prompt goes on with. */
export type Session = {
  readonly prompt: (words: Words, signal: AbortSignal) => Promise<PromptResponse>;
  readonly cancel: () => void;
  readonly isAtWork: () => boolean;
};

/** `runId`: also of a run that has not begun. */
export function createSession(runId: string, { workspace, home }: WorkspaceContext, named: Named, editor: Editor): Session {
  let atWork: AbortController | null = null;
  const ofOld: Named = named.model === undefined ? named : { ...named, model: modelsOfNewRun(named.model) };

  const work = async ({ text, images }: Words, signal: AbortSignal): Promise<TaskEnd> => {
    const updates = createUpdates({ workspace, home });
    // Whoever answered a question that the editor no longer shows, it was not its person.
    const asked: AskEditor = async (permission, unneeded) => await editor.ask(permission, AbortSignal.any([unneeded, signal]));
    let sent: Promise<void> = Promise.resolve();
    return await performTask(text, hasBegun(runId) ? runId : null, {
      ...(images && { images }),
      context: () => readContext(named.policy ?? DEFAULT_POLICY, workspace),
      model: () => modelsOfNewRun(named.model),
      named: ofOld,
      newRunId: runId,
      inbox: createInbox(),
      channels: [editor.mayAnswer ? editorChannel(asked, updates.askedBy) : elsewhereChannel(async (said) => await editor.update(ownWords(said)))],
      onOpen: (opening) => editor.say(`${runId}: ${openingText(opening)}`),
      signal,
      emit: (event) => {
        for (const update of updates.take(event)) sent = editor.update(update);
        return sent;
      },
    });
  };

  const prompt = async (said: Words, given: AbortSignal): Promise<PromptResponse> => {
    if (atWork !== null) throw RequestError.invalidRequest(undefined, "this session is at work: wait for its answer, or cancel it");
    const stop = new AbortController();
    atWork = stop;
    const signal = AbortSignal.any([stop.signal, given]);
    try {
      const end = await work(said, signal);
      if (signal.aborted) return { stopReason: "cancelled" };
      const { stopReason, words } = endingOf(end);
      for (const each of words) await editor.update(ownWords(each));
      return { stopReason };
    } catch (error) {
      // What was cancelled before it could begin was cancelled.
      if (signal.aborted && error instanceof AgentError) return { stopReason: "cancelled" };
      throw error;
    } finally {
      atWork = null;
    }
  };

  return { prompt, cancel: () => atWork?.abort(), isAtWork: () => atWork !== null };
}
