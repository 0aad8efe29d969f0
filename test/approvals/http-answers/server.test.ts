import { request } from "node:http";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { type TOTP, URI } from "otpauth";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAnswers } from "../../../src/app/approvals/answers.ts";
import { giveAnswerWithToken } from "../../../src/app/approvals/answers.ts";
import { isTokenOf, issueToken } from "../../../src/approvals/http-answers/token.ts";
import { startAnswerServer } from "../../../src/approvals/http-answers/server.ts";
import { claimApproval, requestApproval, showApproval } from "../../../src/approvals/approval.ts";
import type { ApprovalCard } from "../../../src/approvals/card.ts";
import { enroll } from "../../../src/approvals/one-time-code.ts";
import { auditHeadPath } from "../../../src/audit/chain/head.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { sha256 } from "../../../src/base/digest.ts";
import { startProgram } from "../../support/program.ts";
import { movableClock, temporaryStore } from "../../support/temporary-store.ts";
import { exampleCard } from "../example-card.ts";
import { once } from "../../support/until.ts";

type Sent = { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, unknown>> };
type Change = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
  readonly body?: unknown;
  readonly raw?: string;
};

async function scene(change: Partial<ApprovalCard> = {}) {
  const clock = movableClock();
  const store = temporaryStore();
  const records = { store, audit: { store, clock }, approvals: { store, clock } };
  const card = exampleCard({ rulingDigest: "a".repeat(64), expiresAtMs: clock.nowMs() + 60_000, ...change });
  requestApproval(records.approvals, card, "call-1", "c");
  const server = await startAnswerServer({
    listen: { host: "127.0.0.1", port: 0 },
    hosts: ["answers.example.org"],
    clock,
    knows: (answer) => isTokenOf(records.approvals, answer),
    take: (answer) => giveAnswerWithToken(records, answer),
  });
  onTestFinished(() => server.close());
  const token = issueToken(records.approvals, card, { holder: "ann", channel: "pager", message: "message-1" });
  const send = (sent: Change = {}): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const text = sent.raw ?? JSON.stringify(sent.body ?? { answer: "grant", digest: card.rulingDigest });
      const authorization: Record<string, string> = sent.token === null ? {} : { authorization: `Bearer ${sent.token ?? token}` };
      const options = {
        method: sent.method ?? "POST",
        path: sent.path ?? `/approvals/${card.approvalId}`,
        headers: { "content-type": "application/json", ...authorization, ...sent.headers },
      };
      const asked = request(new URL(server.url), options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: response.headers }));
      });
      asked.on("error", reject);
      asked.end(options.method === "POST" || options.method === "PUT" ? text : undefined);
    });
  return {
    clock,
    store,
    records,
    card,
    server,
    token,
    send,
    state: () => showApproval(records.approvals, card.approvalId)?.state,
    log: () => tailAudit(records.audit, { limit: 100 }).map(({ kind, payload }) => ({ kind, ...payload })),
    /** A code of a person's that was not used yet. */
    codes: (person: string) => {
      const totp = URI.parse(enroll(records.approvals, person)) as TOTP;
      return () => totp.generate({ timestamp: clock.nowMs() });
    },
  };
}

describe("an answer over HTTP", () => {
  test("grants once, in the name of who holds the webhook, and is recorded", async () => {
    const { send, records, card, log } = await scene();
    expect(await send()).toMatchObject({ status: 200, body: '{"state":"granted","by":"ann@pager"}\n' });
    expect(showApproval(records.approvals, card.approvalId)).toMatchObject({ state: "granted", scope: "once", answeredBy: "ann@pager" });
    expect(log()).toMatchObject([{ kind: "approval-given", approval: card.approvalId, answer: "granted", by: "ann@pager", scope: "once", reason: "HTTP" }]);
    expect(claimApproval(records.approvals, card.approvalId, { run: card.runId, rulingDigest: card.rulingDigest, policyDigest: card.policyDigest })).toBe(true);
  });

  test("refuses, with a message to the model", async () => {
    const { send, records, card } = await scene();
    expect(await send({ body: { answer: "refuse", digest: card.rulingDigest, message: "use staging" } })).toMatchObject({ status: 200 });
    expect(showApproval(records.approvals, card.approvalId)).toMatchObject({ state: "refused", message: "use staging" });
  });

  test("for the run, where the card allows it", async () => {
    const { send, records, card } = await scene();
    await send({ body: { answer: "grant", digest: card.rulingDigest, scope: "this-run" } });
    expect(showApproval(records.approvals, card.approvalId)).toMatchObject({ state: "granted", scope: "this-run" });
  });

  test("by the name that it is reached by from outside, with and without a path before it", async () => {
    const { send, card } = await scene();
    const headers = { host: "answers.example.org" };
    expect(await send({ headers, path: `/warder/approvals/${card.approvalId}` })).toMatchObject({ status: 200 });
  });

  test("is replayed in vain, also as its opposite", async () => {
    const { send, card, state, log } = await scene();
    await send();
    expect(await send()).toMatchObject({ status: 410, body: '{"state":"used"}\n' });
    expect(await send({ body: { answer: "refuse", digest: card.rulingDigest } })).toMatchObject({ status: 410 });
    expect(state()).toBe("granted");
    expect(log().map(({ kind }) => kind)).toEqual(["approval-given", "approval-not-taken", "approval-not-taken"]);
  });

  test("that cannot be recorded is none: the answer and its record are one transaction", async () => {
    const { send, store, state, card, records } = await scene();
    appendAudit(records.audit, { run: null, payload: { kind: "run-end", ending: "done" } });
    writeFileSync(auditHeadPath(store.paths.keys), "altered");
    await send();
    const before = store.answerTokens.of(card.approvalId);
    expect(await send()).toMatchObject({ status: 503 });
    expect(state()).toBe("pending");
    expect(before).toMatchObject([{ usedAtMs: null }]);
  });

  test("comes too late", async () => {
    const { send, clock, state } = await scene();
    clock.advance(60_000);
    expect(await send()).toMatchObject({ status: 410, body: '{"state":"expired"}\n' });
    expect(state()).toBe("expired");
  });

  test("races with another process: one of them counts, and both are told which", async () => {
    const winners = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      const { send, records, card, store } = await scene({ expiresAtMs: Date.UTC(2036, 0, 1) });
      const other = startProgram("refuse-approval", store.paths.directory, card.approvalId);
      await once(other.stdout, "data");
      const told = once(other.stdout, "data") as Promise<[Buffer]>;
      // Now one is ahead, now the other.
      other.stdin.write("go\n");
      await new Promise((resolve) => setTimeout(resolve, round * 2));
      const posted = await send();
      const [typed] = await told;
      const winner = showApproval(records.approvals, card.approvalId)?.answeredBy ?? "";
      expect([typed.toString().trim() === "taken" ? "bob@terminal" : "", posted.status === 200 ? "ann@pager" : ""].filter(Boolean)).toEqual([winner]);
      winners.add(winner);
    }
    expect([...winners]).not.toEqual([]);
  });

  test("twenty at once, one counts", async () => {
    const { send, state, log } = await scene();
    const sent = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(sent.filter(({ status }) => status === 410)).toHaveLength(19);
    expect(state()).toBe("granted");
    expect(log().filter(({ kind }) => kind === "approval-given")).toHaveLength(1);
  });
});

describe("what is no answer changes nothing:", () => {
  const WRONG: Readonly<Record<string, (token: string, card: ApprovalCard) => Change & { readonly status: number }>> = {
    "a GET, as a link preview sends it": () => ({ method: "GET", status: 405 }),
    "a HEAD": () => ({ method: "HEAD", status: 405 }),
    "a PUT": () => ({ method: "PUT", status: 405 }),
    "an OPTIONS, as a browser asks before it posts": () => ({ method: "OPTIONS", status: 405 }),
    "a token in the address": (token, card) => ({ token: null, path: `/approvals/${card.approvalId}?token=${token}`, status: 404 }),
    "no token": () => ({ token: null, status: 404 }),
    "a wrong token": () => ({ token: `wat_${"A".repeat(43)}`, status: 404 }),
    "a token that is nearly right": (token) => ({ token: `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`, status: 404 }),
    "the token's hash, which the database has": (token) => ({ token: sha256(token), status: 404 }),
    "the token of the question, for another": () => ({ path: "/approvals/approval-000000000002", status: 404 }),
    "the digest of another ruling": () => ({ body: { answer: "grant", digest: "b".repeat(64) }, status: 404 }),
    "no digest": () => ({ body: { answer: "grant" }, status: 400 }),
    "a page's origin": () => ({ headers: { origin: "https://evil.example" }, status: 403 }),
    "a page's own origin, of this host": () => ({ headers: { origin: "http://127.0.0.1" }, status: 403 }),
    "the origin null": () => ({ headers: { origin: "null" }, status: 403 }),
    "a request that a browser sends for a page": () => ({ headers: { "sec-fetch-site": "cross-site" }, status: 403 }),
    "a name that was pointed here": () => ({ headers: { host: "evil.example" }, status: 421 }),
    "the right name with another port": () => ({ headers: { host: "answers.example.org:1" }, status: 421 }),
    "a form": () => ({ headers: { "content-type": "application/x-www-form-urlencoded" }, raw: "answer=grant", status: 415 }),
    "JSON that calls itself text": () => ({ headers: { "content-type": "text/plain" }, status: 415 }),
    "packed JSON": () => ({ headers: { "content-encoding": "gzip" }, status: 415 }),
    "no JSON": () => ({ raw: "grant", status: 400 }),
    "a list": () => ({ raw: "[]", status: 400 }),
    "another answer": (_token, card) => ({ body: { answer: "yes", digest: card.rulingDigest }, status: 400 }),
    "a scope that lasts": (_token, card) => ({ body: { answer: "grant", digest: card.rulingDigest, scope: "pattern" }, status: 400 }),
    "another approver's name": (_token, card) => ({ body: { answer: "grant", digest: card.rulingDigest, by: "bob" }, status: 400 }),
    "a body that is too long": (_token, card) => ({ body: { answer: "grant", digest: card.rulingDigest, message: "a".repeat(5_000) }, status: 413 }),
    "a message that is too long": (_token, card) => ({ body: { answer: "refuse", digest: card.rulingDigest, message: "a".repeat(1_001) }, status: 400 }),
    "a path that climbs": (_token, card) => ({ path: `/approvals/../approvals/x/${card.approvalId}`, status: 404 }),
    "an address that is none": () => ({ path: "//[/approvals", status: 404 }),
  };

  test.each(Object.keys(WRONG))("%s", async (name) => {
    const { send, token, card, state, store } = await scene();
    const { status, ...wrong } = WRONG[name]?.(token, card) ?? { status: 0 };
    const end = await send(wrong);
    expect(end.status).toBe(status);
    expect(end.body).not.toContain("touch");
    expect(end.headers).not.toHaveProperty("access-control-allow-origin");
    expect(end.headers).toMatchObject({ "cache-control": "no-store" });
    expect(state()).toBe("pending");
    expect(store.answerTokens.of(card.approvalId)).toMatchObject([{ usedAtMs: null }]);
  });

  test("a GET says the same of a question that is there and of one that is not", async () => {
    const { send } = await scene();
    const [one, other] = [await send({ method: "GET" }), await send({ method: "GET", path: "/approvals/approval-000000000009" })];
    expect([one.status, one.body]).toEqual([other.status, other.body]);
    expect(one.body).toBe("");
  });

  test("a wrong token and an unknown question are answered alike", async () => {
    const { send } = await scene();
    const [one, other] = [await send({ token: `wat_${"A".repeat(43)}` }), await send({ path: "/approvals/approval-000000000009" })];
    expect([one.status, one.body]).toEqual([other.status, other.body]);
  });

  test("a body without end, and one that never comes", async () => {
    const { server, state, card, token } = await scene();
    const head = `POST /approvals/${card.approvalId} HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    for (let round = 0; round < 8; round += 1) socket.write(`400\r\n${"a".repeat(1_024)}\r\n`);
    const answer = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
    socket.destroy();
    expect(state()).toBe("pending");
  });

  test("more than sixty in a minute, until the minute is over", async () => {
    const { send, clock, state } = await scene({ expiresAtMs: Date.UTC(2026, 11, 1) });
    const unconfirmed = { answer: "grant", digest: "b".repeat(64) };
    for (let round = 0; round < 60; round += 1) expect((await send({ body: unconfirmed })).status).toBe(404);
    expect((await send()).status).toBe(429);
    expect(state()).toBe("pending");
    clock.advance(60_000);
    expect((await send()).status).toBe(200);
  });

  test("more than sixty in a minute without a token of a question, and a real answer among them is taken", async () => {
    const { send, state } = await scene({ expiresAtMs: Date.UTC(2026, 11, 1) });
    const strangers = [{ token: `wat_${"A".repeat(43)}` }, { token: null }, { path: "/approvals/approval-aaaaaaaaaaaa" }, { path: "/" }];
    for (let round = 0; round < 60; round += 1) expect((await send(strangers[round % strangers.length])).status).toBe(404);
    for (const stranger of strangers) expect((await send(stranger)).status).toBe(429);
    expect((await send()).status).toBe(200);
    expect(state()).toBe("granted");
  });

  test("a token of an answer that was voided meanwhile", async () => {
    const { send, store, card } = await scene();
    store.approvals.advance(card.approvalId, "pending", "void");
    expect(await send()).toMatchObject({ status: 410, body: '{"state":"void"}\n' });
  });
});

describe("a yes that wants more than a token", () => {
  test("high risk has to be said", async () => {
    const { send, card, state } = await scene({ risk: "high" });
    expect(await send()).toMatchObject({ status: 422 });
    expect(state()).toBe("pending");
    expect(await send({ body: { answer: "grant", digest: card.rulingDigest, risk: "high", scope: "this-run" } })).toMatchObject({ status: 200 });
    expect(state()).toBe("granted");
  });

  test("without the code in the body there is none, and a wrong code locks", async () => {
    const { send, card, codes, state } = await scene({ needsCode: true });
    const code = codes("ann");
    expect(await send()).toMatchObject({ status: 422 });
    for (let round = 0; round < 5; round += 1) expect((await send({ body: { answer: "grant", digest: card.rulingDigest, code: "000000" } })).status).toBe(422);
    expect(await send({ body: { answer: "grant", digest: card.rulingDigest, code: code() } })).toMatchObject({ status: 422 });
    expect(state()).toBe("pending");
  });

  test("the code is the holder's own: another person's does not count with their token", async () => {
    const { send, card, codes, state, records } = await scene({ needsCode: true });
    const [ann, bob] = [codes("ann"), codes("bob")];
    expect((await send({ body: { answer: "grant", digest: card.rulingDigest, code: bob() } })).status).toBe(422);
    expect(await send({ body: { answer: "grant", digest: card.rulingDigest, code: ann() } })).toMatchObject({ status: 200 });
    expect(state()).toBe("granted");
    expect(showApproval(records.approvals, card.approvalId)?.answeredBy).toBe("ann@code");
  });

  test("of two persons: one token is one of them, however often it is sent", async () => {
    const { send, card, codes, state, clock, records } = await scene({ needed: 2, needsCode: true });
    const [ann, bob] = [codes("ann"), codes("bob")];
    const grant = (code: string) => ({ answer: "grant", digest: card.rulingDigest, code });
    expect(await send({ body: grant(ann()) })).toMatchObject({ status: 202, body: '{"state":"pending","approvers":1,"needed":2}\n' });
    clock.advance(30_000);
    expect(await send({ body: grant(ann()) })).toMatchObject({ status: 410 });
    expect(await send({ body: grant(bob()) })).toMatchObject({ status: 410 });
    // Another webhook of the same person is the same person.
    const again = issueToken(records.approvals, card, { holder: "ann", channel: "desk", message: "message-2" });
    expect(await send({ token: again, body: grant(ann()) })).toMatchObject({ status: 202, body: '{"state":"pending","approvers":1,"needed":2}\n' });
    expect(state()).toBe("pending");
    const second = issueToken(records.approvals, card, { holder: "bob", channel: "desk", message: "message-3" });
    expect(await send({ token: second, body: grant(bob()) })).toMatchObject({ status: 200 });
    expect(showApproval(records.approvals, card.approvalId)).toMatchObject({ state: "granted", answeredBy: "ann@code and bob@code" });
  });
});

test("nothing of a token is in the database", async () => {
  const { token, store, card } = await scene();
  expect(JSON.stringify(store.answerTokens.of(card.approvalId))).not.toContain(token.slice(4, 20));
});

test("an address that is taken is said", async () => {
  const { records, server } = await scene();
  const port = Number(new URL(server.url).port);
  await expect(serveAnswers(records, { listen: { host: "127.0.0.1", port }, url: new URL("https://answers.example.org/") })).rejects.toThrow("cannot be taken");
});
