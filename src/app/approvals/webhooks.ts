import { appendAuditWith, type AuditLog } from "../../audit/log/log.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import type { Approvals } from "../../approvals/approvals.ts";
import { webhookChannel, type WebhookChannel } from "../../approvals/webhook/channel.ts";
import type { RecordDelivery, Webhook } from "../../approvals/webhook/outbox.ts";
import { webhookKey } from "../../approvals/webhook/signature.ts";
import { AgentError } from "../../base/errors.ts";
import { readSecret } from "../../config/secrets.ts";
import type { Settings, WebhookSettings } from "../../config/settings.ts";
import { readSettings } from "../../config/settings-file.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import type { Policy } from "../../policy/policy.ts";
import { anchorOf } from "../records/log-upkeep.ts";
import type { Records } from "../records/records.ts";

/** The user's webhooks with their secrets. */
export type UsersWebhooks = {
  readonly webhooks: readonly Webhook[];
  readonly answersUrl: URL | null;
  /** By the name that stands in their place wherever they would appear. */
  readonly secrets: ReadonlyMap<string, string>;
};

/** Reads the secrets of the configured webhooks. Throws `bad-configuration`, also for a secret that commands under this policy could read. */
export function readWebhooks(settings: Settings, policy: Policy, environment: Readonly<Record<string, string | undefined>>): UsersWebhooks {
  const secrets = new Map<string, string>();
  const webhooks = settings.webhooks.map((configured) => {
    const { name, secret } = configured;
    const what = `the webhook ${name}`;
    if (secret.kind === "file" && policy.workspace.roots.some((root) => isWithin(secret.path, root.path)))
      throw new AgentError(
        "bad-configuration",
        `The secret of ${what} (${secret.path}) lies in a root of the policy ${policy.name}, where commands could read it. Move it.`,
      );
    const { webhook, value } = readWebhook(configured, environment);
    secrets.set(`webhook ${name}`, value);
    return webhook;
  });
  return { webhooks, answersUrl: settings.answers?.url ?? null, secrets };
}

/** One webhook with its secret. Throws `bad-configuration`. */
export function readWebhook(
  { name, url, secret, holder }: WebhookSettings,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly webhook: Webhook; readonly value: string } {
  const what = `the webhook ${name}`;
  const value = readSecret(`The secret of ${what}`, secret, environment);
  return { webhook: { name, url, holder, key: webhookKey(what, value) }, value };
}

/** Makes each delivery a record of the log, which lands with the change of the outbox or not at all. */
export function recordingDeliveries(audit: AuditLog): RecordDelivery {
  return ({ run, ...delivery }, land) => appendAuditWith(audit, () => (land() ? { run, payload: { kind: "approval-sent", ...delivery } } : null)) !== null;
}

/** A channel for each webhook, for the questions of one run. Each delivery is a record of the log. */
export function webhookChannels(
  users: UsersWebhooks,
  run: { readonly isParked: boolean; readonly approvals: Approvals; readonly audit: AuditLog; readonly redact: (text: string) => string },
): readonly WebhookChannel[] {
  return users.webhooks.map((webhook) =>
    webhookChannel(webhook, {
      approvals: run.approvals,
      answersUrl: users.answersUrl,
      isParked: run.isParked,
      redact: (text) => redactSecrets(run.redact(text)),
      record: recordingDeliveries(run.audit),
    }),
  );
}

/** The user's settings and webhooks, read before anything begins: what cannot be used is a mistake to be mended now, not at three in the night. */
export function usersOwn(policy: Policy, { store }: Pick<Records, "store">): { readonly settings: Settings; readonly users: UsersWebhooks } {
  try {
    const settings = readSettings(store.paths.directory);
    anchorOf(settings);
    return { settings, users: readWebhooks(settings, policy, process.env) };
  } catch (error) {
    store.close();
    throw error;
  }
}
