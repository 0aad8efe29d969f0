import type { AuditLog } from "../audit/audit-log.ts";
import { appendAudit } from "../audit/audit-log.ts";
import { redactSecrets } from "../audit/redact.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { webhookChannel, type Webhook, type WebhookChannel } from "../approvals/webhook.ts";
import { webhookKey } from "../approvals/webhook-signature.ts";
import { AgentError } from "../base/errors.ts";
import { readSecret } from "../config/read-secrets.ts";
import type { Settings } from "../config/settings.ts";
import { isWithin } from "../policy/paths.ts";
import type { Policy } from "../policy/policy.ts";

/** The user's webhooks with their secrets. */
export type UsersWebhooks = {
  readonly webhooks: readonly Webhook[];
  readonly answersUrl: URL | null;
  /** By the name that stands in their place wherever they would appear. */
  readonly secrets: ReadonlyMap<string, string>;
};

/** Reads the secrets of the webhooks that are configured. Throws `bad-configuration`, also for a secret that lies where commands of this policy work. */
export function readWebhooks(settings: Settings, policy: Policy, environment: Readonly<Record<string, string | undefined>>): UsersWebhooks {
  const secrets = new Map<string, string>();
  const webhooks = settings.webhooks.map(({ name, url, secret, holder }) => {
    const what = `the webhook ${name}`;
    if (secret.kind === "file" && policy.workspace.roots.some((root) => isWithin(secret.path, root.path)))
      throw new AgentError(
        "bad-configuration",
        `The secret of ${what} (${secret.path}) lies in a root of the policy ${policy.name}, where commands could read it. Move it.`,
      );
    const value = readSecret(`The secret of ${what}`, secret, environment);
    secrets.set(`webhook ${name}`, value);
    return { name, url, holder, key: webhookKey(what, value) };
  });
  return { webhooks, answersUrl: settings.answers?.url ?? null, secrets };
}

/** A channel for each webhook, for the questions of one run. Each delivery is a record of the log. */
export function webhookChannels(
  users: UsersWebhooks,
  run: { readonly id: string; readonly isParked: boolean; readonly approvals: Approvals; readonly audit: AuditLog; readonly redact: (text: string) => string },
): readonly WebhookChannel[] {
  return users.webhooks.map((webhook) =>
    webhookChannel(webhook, {
      approvals: run.approvals,
      answersUrl: users.answersUrl,
      isParked: run.isParked,
      redact: (text) => redactSecrets(run.redact(text)),
      record: (delivery) => void appendAudit(run.audit, { run: run.id, payload: { kind: "approval-sent", ...delivery } }),
    }),
  );
}
