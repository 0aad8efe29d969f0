// Stores a question and posts it to the webhooks of the state directory ROOT, as a run that is parked does. Arguments: ROOT AT. Is killed before the
// transaction of the store whose number is AT; with 0 never.
import { storeQuestion, tellOf } from "../../../src/approvals/question.ts";
import { readWebhook, webhookChannels } from "../../../src/app/approvals/webhooks.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { newId } from "../../../src/base/ids.ts";
import { readSettings } from "../../../src/config/settings-file.ts";
import { openStore } from "../../../src/store/store.ts";
import { exampleCard } from "../../approvals/example-card.ts";

const [root = "", at = "0"] = process.argv.slice(2);
const whole = openStore(root);
let transactions = 0;
const store: typeof whole = {
  ...whole,
  exclusively: (work) => {
    transactions += 1;
    if (transactions === Number(at)) process.kill(process.pid, "SIGKILL");
    return whole.exclusively(work);
  },
};
const approvals = { store, clock: systemClock };
const audit = { store, clock: systemClock };
const settings = readSettings(root);
const webhooks = settings.webhooks.map((webhook) => readWebhook(webhook, {}).webhook);
const users = { webhooks, answersUrl: settings.answers?.url ?? null, secrets: new Map<string, string>() };
const channels = webhookChannels(users, { isParked: true, approvals, audit, redact: (text) => text });
const card = exampleCard({ approvalId: newId("approval"), expiresAtMs: Date.now() + 3_600_000 });
storeQuestion(approvals, { card, callId: "call-1", callDigest: "c", channels });
process.stdout.write(card.approvalId);
tellOf(card, channels, new AbortController().signal);
await Promise.all(channels.map((channel) => channel.settled()));
