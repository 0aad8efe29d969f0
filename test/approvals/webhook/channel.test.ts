import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerApproval, requestApproval } from "../../../src/approvals/approval.ts";
import type { ApprovalCard } from "../../../src/approvals/card.ts";
import { questionBody, sharedCard } from "../../../src/approvals/webhook/message.ts";
import { signedHeaders, webhookKey } from "../../../src/approvals/webhook/signature.ts";
import { webhookChannel } from "../../../src/approvals/webhook/channel.ts";
import type { RecordedDelivery } from "../../../src/approvals/webhook/outbox.ts";
import { redactSecrets } from "../../../src/audit/entries/redact.ts";
import { readBody, startHttpServer } from "../../support/http-server.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";
import { exampleCard } from "../example-card.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const PATIENT = { waitsMs: [10, 20], stays: 2, timeoutMs: 60_000 };

type Got = { readonly headers: IncomingMessage["headers"]; readonly body: string };

async function receiver(reply: (response: ServerResponse, count: number) => void = (response) => void response.writeHead(204).end()) {
  const got: Got[] = [];
  const server = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      got.push({ headers: request.headers, body });
      reply(response, got.length);
    });
  });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
  });
  return { url: new URL(`${server.url}/hooks/warder`), got };
}

function channelTo(
  url: URL,
  change: { readonly answersUrl?: URL | null; readonly card?: Partial<ApprovalCard>; readonly timing?: { readonly timeoutMs: number } } = {},
) {
  const clock = movableClock();
  const approvals = { store: temporaryStore(), clock };
  const records: RecordedDelivery[] = [];
  const card = exampleCard({ expiresAtMs: clock.nowMs() + 60_000, ...change.card });
  requestApproval(approvals, card, "call-1", "c");
  const channel = webhookChannel(
    { name: "pager", url, key: webhookKey("pager", SECRET), holder: "ann" },
    {
      approvals,
      answersUrl: change.answersUrl === undefined ? new URL("https://answers.example.org/warder/") : change.answersUrl,
      isParked: false,
      redact: redactSecrets,
      record: (delivery, land) => {
        const isLanded = land();
        if (isLanded) records.push(delivery);
        return isLanded;
      },
      timing: { ...PATIENT, ...change.timing },
    },
  );
  const ask = (signal = new AbortController().signal) => channel.ask(card, signal);
  return { approvals, clock, card, records, channel, ask };
}

/** As a receiver checks it, from the specification's words. */
function isGenuine({ headers, body }: Got): boolean {
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

test("a signature is that of the Standard Webhooks specification", () => {
  // The example of the specification's reference libraries.
  const key = webhookKey("test", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const headers = signedHeaders(key, { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", atMs: 1_614_265_330_000, body: '{"test": 2432232314}' });
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test.each(["", "whsec_", "plain-secret-of-32-characters-xx", "whsec_short", "whsec_not*base64*not*base64*not*base64*", `whsec_${"A".repeat(100)}`])(
  "%j is no secret of a webhook",
  (secret) => {
    expect(() => webhookKey("pager", secret)).toThrow(
      /^The secret of pager is not whsec_ and base64 of 24 to 64 bytes\. Make one: echo "whsec_\$\(openssl rand -base64 32\)"$/u,
    );
  },
);

describe("a question that goes to a webhook", () => {
  test("is the card as JSON, signed, with a token to answer with, and recorded", async () => {
    const { url, got } = await receiver();
    const { ask, card, records, clock } = channelTo(url);
    expect(await ask()).toEqual({ kind: "told" });
    expect(got).toHaveLength(1);
    expect(got.every(isGenuine)).toBe(true);
    const body = JSON.parse(got[0]?.body ?? "") as { type: string; timestamp: string; data: Record<string, unknown> };
    expect(body).toMatchObject({
      type: "approval.requested",
      timestamp: new Date(clock.nowMs()).toISOString(),
      data: {
        summary: "medium risk: touch a",
        isWhole: true,
        isParked: false,
        card: { approvalId: card.approvalId, commands: ["touch a"], rulingDigest: card.rulingDigest, asked: card.asked, notAscii: [] },
        answer: { method: "POST", url: `https://answers.example.org/warder/approvals/${card.approvalId}`, token: expect.stringMatching(/^wat_/u) as string },
      },
    });
    expect(records).toMatchObject([
      { approval: card.approvalId, webhook: "pager", to: url.origin, state: "delivered", attempts: 1, detail: "status 204", invites: true },
    ]);
    expect(JSON.stringify(records)).not.toContain("wat_");
    expect(records[0]?.message).toBe(got[0]?.headers["webhook-id"]);
  });

  test("is tried again with one id after errors of the receiver, and then is delivered", async () => {
    const { url, got } = await receiver((response, count) => void response.writeHead(count < 3 ? 503 : 200).end());
    const { ask, records } = channelTo(url);
    expect(await ask()).toEqual({ kind: "told" });
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(got.every(isGenuine)).toBe(true);
    expect(records).toMatchObject([{ state: "delivered", attempts: 3 }]);
  });

  test.each([
    [500, 3],
    [429, 3],
    [400, 1],
    [404, 1],
    [410, 1],
  ])("that is answered with %i fails after %i tries, and grants nothing", async (status, attempts) => {
    const { url, got } = await receiver((response) => void response.writeHead(status).end('{"answer":"grant"}'));
    const { ask, records, approvals, card } = channelTo(url);
    expect(await ask()).toMatchObject({ kind: "nobody", reason: expect.stringContaining(`status ${status}`) as string });
    expect(got).toHaveLength(attempts);
    expect(records).toMatchObject([{ state: "failed", attempts, detail: `status ${status}` }]);
    expect(approvals.store.approvals.byId(card.approvalId)?.state).toBe("pending");
  });

  test("follows no redirect", async () => {
    const other = await receiver();
    const { url } = await receiver((response) => void response.writeHead(307, { location: other.url.href }).end());
    const { ask, records } = channelTo(url);
    expect(await ask()).toMatchObject({ kind: "nobody" });
    expect(other.got).toEqual([]);
    expect(records).toMatchObject([{ state: "failed", attempts: 1, detail: "status 307" }]);
  });

  test("is not delivered to a receiver that never answers, or that is not there", async () => {
    const silent = await receiver(() => undefined);
    expect(await channelTo(silent.url, { timing: { timeoutMs: 500 } }).ask()).toMatchObject({
      kind: "nobody",
      reason: expect.stringContaining("no answer in time") as string,
    });
    const gone = channelTo(new URL("http://127.0.0.1:9/"));
    expect(await gone.ask()).toMatchObject({ kind: "nobody", reason: expect.stringContaining("ECONNREFUSED") as string });
  });

  test("is given up when it was answered elsewhere", async () => {
    const { url } = await receiver((response) => void response.writeHead(500).end());
    const { ask, channel, records, approvals, card } = channelTo(url);
    const cancel = new AbortController();
    const asked = ask(cancel.signal);
    answerApproval(approvals, card.approvalId, { kind: "refused", scope: "once", by: "ann@terminal" });
    cancel.abort();
    expect(await asked).toMatchObject({ kind: "nobody" });
    await channel.settled();
    expect(records).toMatchObject([{ state: "abandoned" }]);
  });

  test("goes to no server whose certificate proves nothing", async () => {
    const directory = temporaryDirectory();
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2", "-keyout", key, "-out", cert],
      {
        stdio: "ignore",
      },
    );
    let requests = 0;
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await channelTo(new URL(`https://127.0.0.1:${port}/`)).ask()).toMatchObject({
      kind: "nobody",
      reason: expect.stringContaining("SELF_SIGNED") as string,
    });
    expect(requests).toBe(0);
  });
});

describe("what leaves the machine", () => {
  const partial: Readonly<Record<string, Partial<ApprovalCard>>> = {
    "a card with a secret in it": { commands: ["curl -H 'Authorization: Bearer abcdefghijklmnop' https://a.example.org"] },
    "a command that hides behind what looks like a secret": { commands: ["make password=$(rm_everything_here)"] },
    "a text that is too long": { commands: [`touch ${"a".repeat(9_000)}`] },
    "a list that is too long": { reads: Array.from({ length: 300 }, (_, index) => `/w/${index}`) },
    "a card that is too long on the whole": { reads: Array.from({ length: 150 }, (_, index) => `/w/${index}/${"d".repeat(1_000)}`) },
  };

  test.each(Object.keys(partial))("%s goes out in part, without a token: nobody says yes to what they cannot see", async (name) => {
    const { url, got } = await receiver();
    const { ask, records } = channelTo(url, { card: partial[name] ?? {} });
    expect(await ask()).toEqual({ kind: "told" });
    const { data } = JSON.parse(got[0]?.body ?? "") as { data: { isWhole: boolean; answer: unknown } };
    expect(data).toMatchObject({ isWhole: false, answer: null });
    expect(got[0]?.body.length).toBeLessThan(70_000);
    expect(got[0]?.body).not.toMatch(/abcdefghijklmnop|rm_everything/u);
    expect(records).toMatchObject([{ invites: false }]);
  });

  test("without an endpoint there is no token", async () => {
    const { url, got } = await receiver();
    await channelTo(url, { answersUrl: null }).ask();
    expect(JSON.parse(got[0]?.body ?? "")).toMatchObject({ data: { isWhole: true, answer: null } });
  });

  test("hidden characters are visible, and letters of other scripts are named", () => {
    const { card, isWhole } = sharedCard(exampleCard({ commands: ["touch \u202ea\u200b", "g\u0456t status"] }), (text) => text);
    expect(card["commands"]).toEqual(["touch \\u{202e}a\\u{200b}", "g\u0456t status"]);
    expect(card["notAscii"]).toContain("U+0456");
    expect(isWhole).toBe(true);
  });

  test("the summary leads with what differs from the last yes", () => {
    const differs = { approvalId: "approval-0", by: "ann", atMs: 0, isVoided: false, lines: ["- command: touch b", "+ command: touch a"] };
    const body = questionBody(
      sharedCard(exampleCard({ differs }), (text) => text),
      { atMs: 0, isParked: false, answer: null },
    );
    expect(JSON.parse(body)).toMatchObject({ data: { summary: "changed since the last yes (- command: touch b, and 1 more): medium risk: touch a" } });
  });

  test("nothing of Warder's inside", () => {
    expect(sharedCard(exampleCard(), (text) => text).card).not.toHaveProperty("grantKey");
  });
});
