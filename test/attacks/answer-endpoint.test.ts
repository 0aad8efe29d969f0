import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveAnswers } from "../../src/app/approvals/answers.ts";
import { issueToken } from "../../src/approvals/http-answers/token.ts";
import { requestApproval, showApproval } from "../../src/approvals/approval.ts";
import { systemClock } from "../../src/base/clock.ts";
import { sha256 } from "../../src/base/digest.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import type { ConnectionRecord } from "../../src/sandbox/egress/traffic/connection-record.ts";
import { exampleCard } from "../approvals/example-card.ts";
import { makeFixture, profileOf, run } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { temporaryStore } from "../support/temporary-store.ts";

/**
 * What a command could post when a policy had opened the endpoint itself to it, knowing the question, its ruling and even what the database
 * keeps of the token. Each line of its output is the status of one attempt.
 */
const ATTEMPTS = `
post() { curl -sS --max-time 5 -o /tmp/body -w '%{http_code}\\n' -H 'content-type: application/json' "$@"; cat /tmp/body 2>/dev/null >> /tmp/bodies; }
yes='{"answer":"grant","digest":"DIGEST","risk":"high"}'
url=http://127.0.0.1:PORT/approvals/ID
post -d "$yes" $url
post -d "$yes" -H 'authorization: Bearer HASH' $url
post -d "$yes" -H 'authorization: Bearer wat_HASH' $url
post -d "$yes" -H 'authorization: Bearer wat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' $url
post -d "$yes" -H 'authorization: Basic YW5uOg==' $url
post -d "$yes" -H 'host: answers.example.org' $url
post -d "$yes" -H 'x-forwarded-for: 127.0.0.1' -H 'x-real-ip: 127.0.0.1' $url
post -d "$yes" -H 'cookie: warder=ann' $url
post -d "$yes" -H 'x-http-method-override: POST' "$url?token=HASH&answer=grant"
post -d '{"answer":"grant","digest":"DIGEST","by":"ann","approved":true}' -H 'authorization: Bearer HASH' $url
post -d "$yes" "http://127.0.0.1:PORT/approvals/ID%2f..%2fID"
post -d "$yes" "http://127.0.0.1:PORT//approvals//ID"
post -X PUT -d "$yes" $url
post -X GET $url
post -I $url
exec 3<>/dev/tcp/127.0.0.1/PORT && printf 'POST /approvals/ID HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 4\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n' >&3 && head -c 12 <&3
cat /tmp/bodies
`;

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((filling, [name, value]) => filling.replaceAll(name, value), text);

async function place(hostIsOpen: boolean) {
  const fixture = makeFixture();
  onTestFinished(() => {
    fixture.remove();
  });
  const approvals = { store: temporaryStore(join(fixture.folder, "warder")), clock: systemClock };
  const records = { store: approvals.store, audit: { store: approvals.store, clock: systemClock }, approvals };
  const card = exampleCard({ rulingDigest: "c".repeat(64), risk: "high", expiresAtMs: systemClock.nowMs() + 600_000 });
  requestApproval(approvals, card, "call-1", "c");
  const token = issueToken(approvals, card, { holder: "ann", channel: "pager", message: "message-1" });
  const server = await serveAnswers(records, { listen: { host: "127.0.0.1", port: 0 }, url: new URL("https://answers.example.org/") });
  onTestFinished(() => server.close());
  const port = new URL(server.url).port;
  const connections: ConnectionRecord[] = [];
  const network = { allow: hostIsOpen ? [`127.0.0.1:${port}`] : ["files.example.org"] };
  const session = await dockerRuntime({}).open(profileOf(fixture, { settings: { workspace: "bind", network } }), {
    runId: fixture.runId,
    runDirectory: fixture.runDirectory,
    onConnection: (record) => connections.push(record),
    names: { "files.example.org": ["127.0.0.1"] },
  });
  onTestFinished(() => session.close());
  writeFileSync(join(fixture.workspace, "try.sh"), filled(ATTEMPTS, { PORT: port, ID: card.approvalId, DIGEST: card.rulingDigest, HASH: sha256(token) }));
  return { approvals, card, token, session, connections, port };
}

describeWithDocker("a command that posts answers to its own question", () => {
  test("is refused whatever it sends, even where a policy opened the endpoint to it", async () => {
    const { approvals, card, token, session, connections } = await place(true);
    const { out } = await run(session, "bash try.sh");
    const statuses = out.split("\n").filter((line) => /^\d{3}$/u.test(line));
    expect(statuses).toHaveLength(15);
    for (const status of statuses) expect(["400", "403", "404", "405", "415", "421"]).toContain(status);
    expect(out).not.toMatch(/touch|granted|wat_/u);
    expect(showApproval(approvals, card.approvalId)?.state).toBe("pending");
    expect(approvals.store.answerTokens.of(card.approvalId)).toMatchObject([{ hash: sha256(token), usedAtMs: null }]);
    // They did arrive: it is the endpoint that refused them, and each left a trace.
    await expect.poll(() => connections.filter(({ decision }) => decision === "allow").length).toBeGreaterThanOrEqual(14);
  });

  test("does not even reach it through a proxy that allows other hosts", async () => {
    const { approvals, card, session, connections, port } = await place(false);
    const tries = [
      `-X POST -d '{}' http://127.0.0.1:${port}/approvals/${card.approvalId}`,
      `--noproxy '' -X POST -d '{}' http://127.0.0.1:${port}/approvals/${card.approvalId}`,
      `--noproxy '' http://localhost:${port}/`,
      `--noproxy '' http://files.example.org:${port}/`,
    ];
    const commands = tries.map((words) => `curl -sS -o /dev/null -w '%{http_code}\\n' ${words}`);
    const { out } = await run(session, `${commands.join("; ")}; (echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached; true`);
    // The sandbox's own loopback is empty; asked for the host's, the proxy refuses.
    expect(out.trim().split("\n")).toEqual(["000", "403", "403", "403"]);
    expect(connections.every(({ decision }) => decision === "deny")).toBe(true);
    expect(showApproval(approvals, card.approvalId)?.state).toBe("pending");
  });
});
