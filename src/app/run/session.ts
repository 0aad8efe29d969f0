import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { browserImage, imagesByName } from "../../config/state/images.ts";
import { appendAudit } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { profileDigest } from "../../gate/ruling/ruling.ts";
import type { OpenOptions, Session } from "../../sandbox/runtime.ts";
import { withRepository } from "../../sandbox/workspace/with-repository.ts";
import type { ApartPlace } from "../children/apart.ts";
import { reapOverlays } from "../children/children.ts";
import { hooksOf, type OwnHooks } from "../hooks/commands.ts";
import type { Records } from "../records/records.ts";
import { registriesOf } from "../registries/access.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { personsGit } from "../setup/git-identity.ts";
import { profileOf } from "../setup/profile.ts";
import { type ChosenRuntime, runtimeNamed } from "../setup/runtimes.ts";

/** A session, and what a person should know of it. */
type OpenedSession = { readonly session: Session; readonly notes: readonly string[] };

const UNSIGNED =
  "commits and tags of this run are not signed, because your keys stay outside. To sign commits once they have landed: git rebase --exec 'git commit --amend --no-edit -S' BASE";

const unnamed = (fault: string): string =>
  `git did not say who commits here (${fault}), so a commit inside fails. Mend git's configuration, or name somebody in the policy: commands: { git-identity: { name: …, email: … } }`;

/** Opens a run's sandbox by its policy, as this machine and account are configured. Throws what the runtime throws, and `usage` for a registry that nobody can name. */
export async function openSession(
  context: WorkspaceContext,
  records: Records,
  { runtime: chosen, ...options }: Omit<OpenOptions, "runDirectory" | "lookedAt"> & { readonly runtime?: ChosenRuntime | undefined },
): Promise<OpenedSession> {
  const runtime = await runtimeNamed(context.policy.sandbox.runtime, chosen);
  await runtime.reap(records.store.paths.directory);
  reapOverlays(records);
  const registries = await registriesOf(context.policy.sandbox.network);
  const runDirectory = join(records.store.paths.runs, options.runId);
  mkdirSync(runDirectory, { mode: 0o700, recursive: true });
  const { identity, isSigning, fault } = personsGit(context.workspace);
  const setting = {
    ...context,
    environment: process.env,
    imageNamed: imagesByName(records.store.paths.directory),
    gitIdentity: identity,
    registries: registries.access,
  };
  const browser = browserImage(records.store.paths.directory);
  const secrets = new Map([...(options.secrets ?? []), ...registries.secrets]);
  const { profile, note } = withRepository(profileOf(context.policy, setting));
  return {
    session: await runtime.open(profile, {
      ...options,
      secrets,
      runDirectory,
      lookedAt: records.store.paths.lookedAt,
      ...(browser === null ? {} : { browserImage: browser.image }),
    }),
    notes: [
      ...(note === null ? [] : [note]),
      ...(isSigning ? [UNSIGNED] : []),
      ...(fault === null || profile.gitIdentity !== undefined ? [] : [unnamed(fault)]),
    ],
  };
}

/** What the log has of a sandbox that was opened. */
export function openedRecord(session: Session): AuditPayload {
  const { probed } = session;
  return {
    kind: "sandbox-opened",
    session: session.id,
    runtime: session.runtime,
    image: session.imageDigest,
    profile: profileDigest(session),
    mount: session.mount,
    probed: probed.flatMap(({ what, isMet }) => (isMet === true ? [what] : [])),
    unseen: probed.flatMap(({ what, isMet }) => (isMet === null ? [what] : [])),
  };
}

type Beside = {
  readonly common: Pick<OpenOptions, "hidden" | "mayGoOn"> & { readonly runtime?: ChosenRuntime | undefined };
  readonly description: OwnHooks;
};

/** Opens further sandboxes of a run, for its sub-agents. None of them has a network: what the policy limits there is counted in one sandbox. */
export function besideOf(context: WorkspaceContext, records: Records, { common, description }: Beside): ApartPlace["openBeside"] {
  const { policy } = context;
  const sealed = { ...context, policy: { ...policy, sandbox: { ...policy.sandbox, network: { allow: [] } } } };
  return async (runId) => {
    const record = (payload: AuditPayload): void => void appendAudit(records.audit, { run: runId, payload });
    const onJobEnd: OpenOptions["onJobEnd"] = (ended) => record({ kind: "background-job-ended", ...ended });
    const { session } = await openSession(sealed, records, { ...common, runId, onJobEnd });
    let closing: Promise<void> | null = null;
    const close = async (): Promise<void> => {
      await session.close();
      record({ kind: "sandbox-closed", session: session.id });
    };
    const own: Session = { ...session, close: () => (closing ??= close()) };
    try {
      record(openedRecord(session));
      return { session: own, hooks: await hooksOf(context, { audit: records.audit, session }, description) };
    } catch (error) {
      await own.close();
      throw error;
    }
  };
}
