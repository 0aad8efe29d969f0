import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { deliverQuestions } from "../../../src/app/approvals/deliver-questions.ts";
import { recordingDeliveries } from "../../../src/app/approvals/webhooks.ts";
import { answerWithToken } from "../../../src/approvals/http-answers/token.ts";
import { answerApproval } from "../../../src/approvals/approval.ts";
import { storeQuestion } from "../../../src/approvals/question.ts";
import { DELIVERY_TIMING } from "../../../src/approvals/webhook/delivery.ts";
import { webhookChannel, type WebhookChannel } from "../../../src/approvals/webhook/channel.ts";
import { webhookKey } from "../../../src/approvals/webhook/signature.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";
import { exampleCard } from "../../approvals/example-card.ts";
import { readBody, startHttpServer } from "../../support/http-server.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";
import { exitCodeOf } from "../../support/until.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "support", "programs", "tell-question.ts");
const KEY = Buffer.alloc(32, 5);
const SECRET = `whsec_${KEY.toString("base64")}`;
const HOUR_MS = 3_600_000;
const { signal } = new AbortController();

type Got = { readonly id: string; readonly body: string; readonly isGenuine: boolean };
type Message = {
  readonly data: { readonly card: { readonly approvalId: string; readonly rulingDigest: string }; readonly answer: { readonly token: string } };
};

/** A receiver, a state whose settings name it, and what it got. `reply` may be changed. */
async function receiver() {
  const got: Got[] = [];
  const here = {
    got,
    state: join(temporaryDirectory(), "state"),
    said: [] as string[],
    reply: (response: ServerResponse): void => void response.writeHead(204).end(),
  };
  const server = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = request.headers;
      const expected = createHmac("sha256", KEY)
        .update(`${String(id)}.${String(at)}.${body}`)
        .digest("base64");
      got.push({ id: String(id), body, isGenuine: signature === `v1,${expected}` });
      here.reply(response);
    });
  });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
  });
  const store = temporaryStore(here.state);
  const secret = join(here.state, "pager.secret");
  writeFileSync(secret, SECRET, { mode: 0o600 });
  const settings = (webhooks: string): void =>
    writeFileSync(
      join(here.state, "settings.yaml"),
      `version: 1\napprovals:\n  webhooks: [${webhooks}]\n  answers: { url: "https://answers.example.org/" }\n`,
      { mode: 0o600 },
    );
  settings(`{ name: pager, url: "${server.url}/x", secret: { file: ${secret} }, holder: ann }`);
  const deliver = async (clock = systemClock): Promise<void> =>
    await deliverQuestions({ store, approvals: { store, clock }, audit: { store, clock } }, { signal, say: (line) => void here.said.push(line) });
  return Object.assign(here, { store, settings, deliver, url: new URL(`${server.url}/x`) });
}

type Here = Awaited<ReturnType<typeof receiver>>;

/** Tells a question in a process of its own; null: it was killed. `begun` gets the process. */
async function tellIn(here: Here, at: number, begun: (kill: () => void) => void = () => undefined): Promise<number | null> {
  const child = spawn(process.execPath, [PROGRAM, here.state, String(at)], { stdio: ["ignore", "ignore", "inherit"] });
  begun(() => void child.kill("SIGKILL"));
  return await exitCodeOf(child);
}

const messageOf = ({ body }: Got): Message => JSON.parse(body) as Message;

describe("a process that is killed while it tells of a question", () => {
  test("before any of its transactions leaves none that nobody is told of, and tells of none that is not there", { timeout: 900_000 }, async () => {
    const here = await receiver();
    let at = 0;
    for (let status: number | null = null; status === null; at += 1) status = await tellIn(here, at + 1);
    expect(at).toBeGreaterThan(6);
    await here.deliver();
    const asked = here.store.approvals.list({ limit: 100 }).map(({ id }) => id);
    expect(asked.length).toBeGreaterThan(4);
    expect(new Set(here.got.map((one) => messageOf(one).data.card.approvalId))).toEqual(new Set(asked));
    // A repeat has the id of the first, and is the same message.
    expect(new Set(here.got.map(({ id }) => id)).size).toBe(asked.length);
    expect(new Set(here.got.map(({ body }) => body)).size).toBe(asked.length);
    expect(here.got.every(({ isGenuine }) => isGenuine)).toBe(true);
    const sent = tailAudit({ store: here.store, clock: systemClock }, { limit: 100, kind: "approval-sent" });
    expect(sent).toHaveLength(asked.length);
    expect(new Map(sent.map(({ payload }) => [payload["approval"], payload["state"]]))).toEqual(new Map(asked.map((id) => [id, "delivered"])));
    const before = here.got.length;
    await here.deliver();
    expect(here.got).toHaveLength(before);
  });

  test("in the middle of the delivery has it repeated, and what the message invites to is taken", async () => {
    const here = await receiver();
    let kill = (): void => undefined;
    here.reply = () => {
      kill();
    };
    expect(await tellIn(here, 0, (end) => void (kill = end))).toBeNull();
    here.reply = (response) => void response.writeHead(204).end();
    await here.deliver();
    expect(here.got).toHaveLength(2);
    expect(here.got[1]).toEqual(here.got[0]);
    const { card, answer } = messageOf(here.got[1] as Got).data;
    const given = { approvalId: card.approvalId, rulingDigest: card.rulingDigest, token: answer.token, verdict: "grant", scope: "once" } as const;
    expect(answerWithToken({ store: here.store, clock: systemClock }, given)).toMatchObject({ kind: "taken", by: "ann@pager" });
  });
});

describe("a question in the outbox", () => {
  const asked = (here: Here) => {
    const clock = movableClock();
    const approvals = { store: here.store, clock };
    const audit = { store: here.store, clock };
    const channel: WebhookChannel = webhookChannel(
      { name: "pager", url: here.url, key: webhookKey("pager", SECRET), holder: "ann" },
      {
        approvals,
        answersUrl: null,
        isParked: true,
        redact: (text) => text,
        record: recordingDeliveries(audit),
        timing: { ...DELIVERY_TIMING, waitsMs: [1, 1, 1, ...DELIVERY_TIMING.waitsMs.slice(3)] },
      },
    );
    const card = exampleCard({ expiresAtMs: clock.nowMs() + 7 * 24 * HOUR_MS });
    storeQuestion(approvals, { card, callId: "call-1", callDigest: "c", channels: [channel] });
    const states = (): unknown[] => tailAudit(audit, { limit: 100, kind: "approval-sent" }).map(({ payload }) => [payload["state"], payload["attempts"]]);
    return { clock, approvals, card, channel, states };
  };

  test("whose receiver is away is put off, tried again later and later, and told when it is back", async () => {
    const here = await receiver();
    const { clock, channel, card, states } = asked(here);
    here.reply = (response) => void response.writeHead(503).end();
    expect(await channel.ask(card, signal)).toMatchObject({ kind: "nobody", reason: expect.stringContaining("status 503") as string });
    expect(states()).toEqual([["put-off", 4]]);
    await here.deliver(clock);
    expect(here.got).toHaveLength(4);
    clock.advance(61_000);
    await here.deliver(clock);
    await here.deliver(clock);
    expect(here.got).toHaveLength(5);
    expect(here.said).toEqual([`${card.approvalId}: pager could not be told (status 503); it is tried again later`]);
    here.reply = (response) => void response.writeHead(204).end();
    clock.advance(6 * 60_000);
    await here.deliver(clock);
    expect(states()).toEqual([
      ["put-off", 4],
      ["delivered", 6],
    ]);
    expect(new Set(here.got.map(({ id }) => id)).size).toBe(1);
  });

  test("that nobody takes in twelve tries has failed, and is tried no more", async () => {
    const here = await receiver();
    const { clock, states } = asked(here);
    here.reply = (response) => void response.writeHead(500).end();
    for (let round = 0; round < 20; round += 1) {
      await here.deliver(clock);
      clock.advance(24 * HOUR_MS);
      if (round < 6) clock.advance(-18 * HOUR_MS);
    }
    expect(here.got).toHaveLength(12);
    expect(states()).toEqual([["failed", 12]]);
  });

  test("is posted no more when a person has answered it", async () => {
    const here = await receiver();
    const { clock, approvals, card, states } = asked(here);
    answerApproval(approvals, card.approvalId, { kind: "refused", scope: "once", by: "ann@terminal" });
    await here.deliver(clock);
    expect(here.got).toEqual([]);
    expect(states()).toEqual([["abandoned", 0]]);
  });

  test("is posted by one process alone, however many look", async () => {
    const here = await receiver();
    const { clock } = asked(here);
    let release = (): void => undefined;
    here.reply = (response) => void (release = () => void response.writeHead(204).end());
    const first = here.deliver(clock);
    await expect.poll(() => here.got.length).toBe(1);
    const other = openStore(here.state);
    onTestFinished(() => {
      other.close();
    });
    await deliverQuestions({ store: other, approvals: { store: other, clock }, audit: { store: other, clock } }, { signal, say: () => undefined });
    release();
    await first;
    expect(here.got).toHaveLength(1);
  });

  /** Two processes: `first` has begun to post and has no answer yet. */
  const underWay = async () => {
    const here = await receiver();
    const scene = asked(here);
    const { clock } = scene;
    let release = (): void => undefined;
    here.reply = (response) => void (release = () => void response.writeHead(204).end());
    const first = here.deliver(clock);
    await expect.poll(() => here.got.length, { timeout: 60_000 }).toBe(1);
    const finish = async (): Promise<void> => {
      release();
      await first;
    };
    const other = openStore(here.state);
    onTestFinished(() => {
      other.close();
    });
    const audit = { store: other, clock };
    const deliverElsewhere = async (): Promise<void> =>
      await deliverQuestions({ store: other, approvals: { store: other, clock }, audit }, { signal, say: () => undefined });
    return { ...scene, here, finish, deliverElsewhere };
  };

  test("whose sender stood still for longer than it may has one end in the log: that of who took it over", async () => {
    const { here, clock, states, finish, deliverElsewhere } = await underWay();
    clock.advance(HOUR_MS);
    const { reply } = here;
    here.reply = (response) => void response.writeHead(204).end();
    await deliverElsewhere();
    here.reply = reply;
    expect(states()).toEqual([["delivered", 2]]);
    await finish();
    expect(here.got).toHaveLength(2);
    expect(states()).toEqual([["delivered", 2]]);
  });

  test("that is answered while it is posted ends as its sender finds, once", async () => {
    const { approvals, card, channel, states, finish, deliverElsewhere } = await underWay();
    answerApproval(approvals, card.approvalId, { kind: "refused", scope: "once", by: "ann@terminal" });
    await channel.ask(card, signal);
    expect(states()).toEqual([["put-off", 1]]);
    await finish();
    await deliverElsewhere();
    expect(states()).toEqual([
      ["put-off", 1],
      ["delivered", 1],
    ]);
  });

  test("stays for another process where the secret is not at hand, and ends where its webhook is gone", async () => {
    const here = await receiver();
    const { clock, card, states } = asked(here);
    here.settings(`{ name: pager, url: "${here.url.href}", secret: { env: NOT_SET_ANYWHERE }, holder: ann }`);
    await here.deliver(clock);
    expect(here.said).toEqual([expect.stringMatching(new RegExp(`^${card.approvalId}: pager cannot be told from here: .*NOT_SET_ANYWHERE is not set`, "u"))]);
    expect(states()).toEqual([]);
    here.settings("");
    await here.deliver(clock);
    expect(states()).toEqual([["abandoned", 0]]);
    expect(here.got).toEqual([]);
  });
});
