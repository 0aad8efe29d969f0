import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { readBody, startHttpServer } from "../support/http-server.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { makePlace, startWarder, warder, writePolicy, type Place } from "../support/warder-cli.ts";

const KEY = Buffer.alloc(32, 9);
const ASKS = "version: 1\nname: nightly\nextends: unattended\ncommands:\n  effects: { deletes: ask }\n";
const SCRIPT = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "rm old.txt" } }]
  - say: "Done."
`;

type Message = {
  readonly type: string;
  readonly data: { readonly isParked: boolean; readonly card: Record<string, unknown>; readonly answer: { readonly url: string; readonly token: string } };
};

/** A receiver that checks the signature, and a place whose settings name it. */
async function configured() {
  const here = makePlace();
  onTestFinished(() => {
    here.remove();
  });
  const messages: Message[] = [];
  const forged: string[] = [];
  const server = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = request.headers;
      const expected = `v1,${createHmac("sha256", KEY)
        .update(`${String(id)}.${String(at)}.${body}`)
        .digest("base64")}`;
      if (signature === expected) messages.push(JSON.parse(body) as Message);
      else forged.push(body);
      response.writeHead(204).end();
    });
  });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
  });
  mkdirSync(here.state, { mode: 0o700 });
  const secret = join(here.root, "pager.secret");
  writeFileSync(secret, `whsec_${KEY.toString("base64")}\n`, { mode: 0o600 });
  const settings = (answers: string): void =>
    writeFileSync(
      join(here.state, "settings.yaml"),
      `version: 1\napprovals:\n  webhooks:\n    - { name: pager, url: "${server.url}/x", secret: { file: ${secret} }, holder: ann }\n  answers: { listen: "127.0.0.1:0", url: "${answers}" }\n`,
      { mode: 0o600 },
    );
  settings("https://answers.example.org/");
  writeFileSync(join(here.workspace, "old.txt"), "old");
  writeFileSync(join(here.root, "script.yaml"), SCRIPT);
  const run = () =>
    warder(here, [
      "run",
      "--unattended",
      "--policy",
      writePolicy(here, "nightly", ASKS),
      "--model",
      `scripted:${join(here.root, "script.yaml")}`,
      "Make room.",
    ]);
  return { here, messages, forged, settings, secret, run };
}

/** `warder approvals serve`, or another command that takes answers, until the test ends; its address. */
async function serve(here: Place, argv = ["approvals", "serve"]): Promise<string> {
  const child = startWarder(here, argv);
  // Waited for, so that it writes nothing where the place was.
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exitCodeOf(child);
  });
  let said = "";
  return await new Promise((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const url = /taken at (http:\/\/[^\s/]+\/)/u.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.on("exit", () => reject(new Error("It ended.")));
  });
}

/** The answer to a question, as its receiver posts it to the endpoint on this machine. */
async function post(endpoint: string, { answer, card }: Message["data"], verdict: "grant" | "refuse"): Promise<Response> {
  return await fetch(new URL(new URL(answer.url).pathname.slice(1), endpoint), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${answer.token}` },
    body: JSON.stringify({ answer: verdict, digest: card["rulingDigest"], risk: card["risk"] }),
  });
}

describeWithDocker("a question at a terminal, with a webhook", () => {
  test("goes away when it is answered over HTTP, and the command runs", async () => {
    const { here, messages } = await configured();
    const url = await serve(here);
    const terminal = warderAtTerminal(here, ["exec", "--policy", "supervised", "--", "touch new-file"]);
    await terminal.shows(/Allow\?/u);
    await expect.poll(() => messages.length).toBe(1);
    const [{ data }] = messages as [Message];
    expect(data.isParked).toBe(false);
    expect((await post(url, data, "grant")).status).toBe(200);
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(here.workspace, "new-file"))).toBe(true);
  });

  test("answered at the terminal leaves the token without a use", async () => {
    const { here, messages } = await configured();
    const url = await serve(here);
    const terminal = warderAtTerminal(here, ["exec", "--policy", "supervised", "--", "touch new-file"]);
    await terminal.shows(/Allow\?/u);
    await expect.poll(() => messages.length).toBe(1);
    terminal.type("n\r");
    expect(await terminal.ended).toBe(3);
    const [{ data }] = messages as [Message];
    expect((await post(url, data, "grant")).status).toBe(410);
    expect(existsSync(join(here.workspace, "new-file"))).toBe(false);
  });
});

describeWithDocker("one command without a terminal, with a webhook", () => {
  test("says what it waits for, until when, and how it is answered", async () => {
    const { here, messages } = await configured();
    const url = await serve(here);
    const child = startWarder(here, ["exec", "--policy", "supervised", "--", "touch new-file"]);
    let said = "";
    child.stderr?.on("data", (data: Buffer) => void (said += data.toString()));
    await until("the notice", () => /waits for a person until \d{4}-\d\d-\d\dT\S+ \(rule [a-z-]+\).*warder approvals grant approval-/u.test(said));
    await until("the message", () => messages.length === 1);
    const [{ data }] = messages as [Message];
    expect((await post(url, data, "grant")).status).toBe(200);
    expect(await exitCodeOf(child)).toBe(0);
  });
});

describeWithDocker("a parked run with a webhook", () => {
  test("is answered over HTTP with the token that the webhook carried, and goes on", async () => {
    const { here, messages, forged, run } = await configured();
    const url = await serve(here);
    expect(await run()).toMatchObject({ exitCode: 4 });
    expect(forged).toEqual([]);
    expect(messages).toMatchObject([{ type: "approval.requested", data: { isParked: true, isWhole: true, card: { commands: ["rm old.txt"] } } }]);
    const [{ data }] = messages as [Message];
    const path = new URL(data.answer.url).pathname.slice(1);
    expect((await fetch(new URL(path, url))).status).toBe(405);
    const answer = () => post(url, data, "grant");
    // A client like Node's fetch names itself as no page: without `origin`, with `sec-fetch-mode` alone.
    expect(await (await answer()).json()).toEqual({ state: "granted", by: "ann@pager" });
    expect((await answer()).status).toBe(410);
    const runId = String(data.card["runId"]);
    expect(await warder(here, ["run", "--resume", runId])).toMatchObject({ exitCode: 0 });
    const log = (await warder(here, ["audit", "tail", "--json", "--limit", "100", "--run", runId])).stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const kinds = ["approval-requested", "approval-sent", "approval-given", "approval-not-taken", "approval-answered", "permit-spent"];
    expect(log.filter(({ kind }) => kinds.includes(String(kind))).map(({ kind }) => kind)).toEqual(kinds);
    expect(log.find(({ kind }) => kind === "approval-sent")).toMatchObject({ webhook: "pager", state: "delivered", attempts: 1, invites: true });
    expect(log.find(({ kind }) => kind === "approval-given")).toMatchObject({ by: "ann@pager", answer: "granted" });
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
    const call = String(log.find(({ kind }) => kind === "permit-spent")?.["call"]);
    expect((await warder(here, ["audit", "show", call])).stdout).toMatch(
      /Wanted[\s\S]*Ruled +ask[\s\S]*Sent +\S+ to pager: delivered[\s\S]*Answer +granted by ann@pager, once \(HTTP\)[\s\S]*Ran +exec[\s\S]*Came back +completed, exit code 0/u,
    );
    // The token is nowhere but in the message.
    const state = ["warder.db", "warder.db-wal"].map((name) => readFileSync(join(here.state, name), "latin1")).join("");
    expect(state).toContain("ann@pager");
    expect(state).not.toContain(data.answer.token);
  });

  test("is answered where the scheduler takes answers, too", async () => {
    const { here, messages, run } = await configured();
    const url = await serve(here, ["schedule", "daemon", "--answers"]);
    expect(await run()).toMatchObject({ exitCode: 4 });
    const [{ data }] = messages as [Message];
    expect((await post(url, data, "refuse")).status).toBe(200);
    expect((await warder(here, ["approvals", "show", String(data.card["approvalId"])])).stdout).toContain("State: refused, by ann@pager");
  });

  test("whose receiver is not there parks all the same, and says in the log that nobody was told", async () => {
    const { here, settings, run } = await configured();
    settings("https://answers.example.org/");
    const text = readFileSync(join(here.state, "settings.yaml"), "utf8").replace(/http:\/\/127\.0\.0\.1:\d+/u, "http://127.0.0.1:9");
    writeFileSync(join(here.state, "settings.yaml"), text);
    expect(await run()).toMatchObject({ exitCode: 4 });
    const { stdout } = await warder(here, ["audit", "tail", "--json", "--kind", "approval-sent"]);
    expect(JSON.parse(stdout)).toMatchObject({ state: "put-off", attempts: 4, detail: "no connection (ECONNREFUSED)" });
    expect((await warder(here, ["approvals", "list", "--json"])).stdout).toContain('"state":"pending"');
  });

  test("does not begin with settings that cannot be used", async () => {
    const { secret, run, here } = await configured();
    chmodSync(secret, 0o644);
    expect(await run()).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("chmod 600") as string });
    chmodSync(join(here.state, "settings.yaml"), 0o666);
    expect(await run()).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("may be changed by others") as string });
  });
});
