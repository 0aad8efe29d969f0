import { redactFor } from "../../audit/entries/redact.ts";
import { appendAudit } from "../../audit/log/log.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import type { RequestSettings } from "../../config/settings.ts";
import { readSettings, settingsPath } from "../../config/settings-file.ts";
import { commitOf, openWith, personsRepository, type Publication, publicationOf, push } from "../../landing/branches/publish.ts";
import { type WorkspaceRecord, workspacePaths } from "../../sandbox/workspace/record.ts";
import type { Records } from "../records/records.ts";
import { writablePlaces, type WorkspaceContext } from "../setup/context.ts";
import { pathApart, writablePlaceIn } from "../setup/places-apart.ts";

/** A request for review before a person said yes: what would be pushed, and what would be started. Nothing has left the machine. */
export type PreparedRequest = {
  readonly publication: Publication;
  /** The branch that the run began on. */ readonly base: string | null;
  readonly command: readonly string[];
  readonly records: Records;
  /** Pushes, and starts the command; `by`: who said yes. */
  send(by: string): Promise<SentRequest>;
};

export type SentRequest = {
  readonly isPushed: boolean;
  readonly isOpened: boolean;
  /** What the command printed, or why it was not started; to be made visible. */ readonly output: string;
};

type Asked = {
  readonly records: Records;
  readonly runId: string;
  readonly runDirectory: string;
  readonly record: WorkspaceRecord;
  readonly context: WorkspaceContext;
  readonly remote: string | null;
  /** Makes the branch of this name. */ readonly makeBranch: (branch: string) => Promise<unknown>;
};

const MAX_TITLE_CHARACTERS = 100;

/** Makes the branch if it is not there, and reads where a push of it would go. Throws `usage`. */
export async function prepareRequest(asked: Asked): Promise<PreparedRequest> {
  const { records, runId, record, context } = asked;
  const settings = requestSettings(records);
  const writable = writablePlaces(context);
  const inside = writablePlaceIn(settings.command, writable);
  if (inside !== undefined)
    throw new AgentError(
      "bad-configuration",
      `The command of \`requests\` in ${settingsPath(records.store.paths.directory)} names ${inside}, which lies where the agent may write: it could change what runs there.`,
      { remedy: "Name a program outside of every workspace." },
    );
  const found = personsRepository({ workspace: record.workspace, linked: record.repository, beginnings: workspacePaths(asked.runDirectory).beginnings });
  if (found === null) throw new AgentError("usage", `${record.workspace} was no repository of its own when ${runId} began: there is no branch to push.`);
  const { repository, head } = found;
  const branch = `warder/${runId}`;
  if ((await commitOf(repository, branch)) === null) await asked.makeBranch(branch);
  const publication = await publicationOf(repository, { remote: asked.remote ?? settings.remote, branch, base: head.id });
  if (typeof publication === "string") throw new AgentError("usage", `Nothing is pushed: ${publication}`);
  const base = head.ref?.replace(/^refs\/heads\//u, "") ?? null;
  const command = filled(settings.command, { branch, base, run: runId, remote: publication.remote, ...textsOf(asked, publication) });
  return {
    publication,
    base,
    command,
    records,
    send: async (by) => {
      const { audit } = records;
      const { remote, urls, commit } = publication;
      // Before anything leaves the machine: without a log nothing is pushed.
      appendAudit(audit, { run: runId, payload: { kind: "changes-pushing", remote, urls, branch, commit, command, by } });
      const fault = await push(repository, publication);
      const opened = fault === null ? await openWith(repository, command, pathApart(writable)) : null;
      const sent = { isPushed: fault === null, isOpened: opened?.exitCode === 0, output: fault ?? printedBy(opened) };
      appendAudit(audit, { run: runId, payload: { kind: "changes-pushed", branch, commit, ...sent, output: makeVisible(sent.output), by } });
      return sent;
    },
  };
}

function requestSettings(records: Records): RequestSettings {
  const { directory } = records.store.paths;
  const { requests } = readSettings(directory);
  if (requests !== null) return requests;
  throw new AgentError("usage", "No program is configured that opens a request for review.", {
    remedy: `Write into ${settingsPath(directory)}, for GitHub:\n\nversion: 1\nrequests:\n  command: [/usr/bin/gh, pr, create, --draft, "--head={branch}", "--base={base}", "--title={title}", "--body={body}"]\n\nfor GitLab: [/usr/bin/glab, mr, create, --draft, --yes, "--source-branch={branch}", "--target-branch={base}", "--title={title}", "--description={body}"]`,
  });
}

/** The title is the person's task. Subjects of commits are the run's words: as code, they mention nobody and close nothing. */
function textsOf({ records, runId, context }: Asked, { commits }: Publication): { readonly title: string; readonly body: string } {
  const task = redactFor(records.audit)(records.store.runs.byId(runId)?.task ?? "");
  const [line = ""] = task.trim().split("\n", 1);
  const title = makeVisibleLine(line).replace(/^[-\s]+/u, "");
  const lines = commits.map((commit) => `    ${commit}`);
  return {
    title: title === "" ? `Work of ${runId}` : title.slice(0, MAX_TITLE_CHARACTERS).toWellFormed(),
    body: `Made by ${runId} of Warder under the policy ${context.policy.name} (${context.policy.digest}).\n\nCommits:\n\n${lines.join("\n")}\n`,
  };
}

function filled(command: readonly string[], values: Readonly<Record<string, string | null>>): readonly string[] {
  return command.map((word) =>
    word.replaceAll(/\{([a-z]+)\}/gu, (_whole, name: string) => {
      const value = values[name] ?? null;
      if (value === null) throw new AgentError("usage", `The command of \`requests\` wants {${name}}, and the run began on no branch.`);
      return value;
    }),
  );
}

function printedBy(opened: Awaited<ReturnType<typeof openWith>> | null): string {
  if (opened === null) return "";
  const { exitCode, stdout, stderr } = opened;
  if (exitCode === 0) return stdout.trim();
  return `${exitCode === null ? "it did not run to its end" : `exit code ${String(exitCode)}`}: ${(stderr.trim() || stdout.trim()).slice(-2000)}`;
}
