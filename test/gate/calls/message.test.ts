import { expect, test } from "vitest";
import { keepWords } from "../../../src/schedule/job-news.ts";
import { hourlyJob } from "../../schedule/schedule-scene.ts";
import { NO, policyText, scene, textOf, YES } from "../gate-scene.ts";

const readOnly = policyText({ autonomy: "read-only" });

test("a message is on record and shown, with what is hidden in it visible, and brings the model nothing", async () => {
  const here = scene({ policy: readOnly });
  const end = await here.call("send_user_message", { text: "Half\u001b[2J done.\r\n\u202egranted by ann" });
  expect([end.kind, end.result.label, end.result.labels ?? [], textOf(end)]).toEqual(["executed", "trusted", [], "Sent."]);
  const text = "Half\\u{1b}[2J done.\\u{d}\n\\u{202e}granted by ann";
  expect(here.events).toContainEqual({ kind: "user-message", callId: "call-1", text });
  expect(here.records("user-message")).toMatchObject([{ run: "run-test", payload: { call: "call-1", text } }]);
  expect(here.records("permit-spent").map(({ payload }) => payload["does"])).toEqual(["message"]);
});

test("a message that cannot be recorded is shown to nobody", async () => {
  const fail = (): never => {
    throw new Error("The disk is full.");
  };
  const here = scene({ policy: readOnly, change: () => ({ keepMessage: fail }) });
  expect((await here.call("send_user_message", { text: "Half done." })).kind).toBe("fault");
  expect(here.events.filter(({ kind }) => kind === "user-message")).toEqual([]);
});

test("a message leaves out secrets that redaction knows", async () => {
  const here = scene({ policy: readOnly });
  await here.call("send_user_message", { text: "token ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
  expect(JSON.stringify([here.events.filter(({ kind }) => kind === "user-message"), here.records("user-message")])).not.toContain("ghp_abc");
});

test("a message is asked about or denied as the policy says, and what was not sent is nowhere", async () => {
  const asks = `${policyText()}commands: { effects: { messages: ask } }\n`;
  const yes = scene({ policy: asks, answer: () => YES });
  expect(textOf(await yes.call("send_user_message", { text: "one" }))).toBe("Sent.");
  expect(yes.cards).toHaveLength(1);
  const no = scene({ policy: asks, answer: () => NO });
  expect((await no.call("send_user_message", { text: "one" })).kind).toBe("refused");
  const denied = scene({ policy: `${policyText()}commands: { effects: { messages: deny } }\n` });
  expect((await denied.call("send_user_message", { text: "one" })).kind).toBe("denied");
  for (const { events, records } of [no, denied]) {
    expect(events.some(({ kind }) => kind === "user-message")).toBe(false);
    expect(records("user-message")).toEqual([]);
  }
});

test("a run sends so many messages, and each has a limit", async () => {
  const here = scene({ policy: readOnly });
  for (let at = 0; at < 50; at += 1) await here.call("send_user_message", { text: `message ${String(at)}` });
  expect(textOf(await here.call("send_user_message", { text: "one more" }))).toContain("at most 50 messages");
  expect(here.records("user-message")).toHaveLength(50);
  expect((await here.call("send_user_message", { text: "x".repeat(4001) })).kind).toBe("invalid");
  expect((await here.call("send_user_message", { text: "" })).kind).toBe("invalid");
});

test("a message of a job's run waits for whoever is told of the job; of another run for nobody else", async () => {
  const jobOf = (job: string | null) =>
    scene({
      policy: readOnly,
      change: ({ store, clock }) => ({ job, keepMessage: (text) => keepWords({ store, clock }, job, { run: "run-test", text }) }),
    });
  const here = jobOf("nightly");
  here.store.schedule.addJob(hourlyJob({ notify: "file:/srv/news" }));
  await here.call("send_user_message", { text: "Half done." });
  const due = here.store.outbox.waiting("job-news", 9);
  expect(due.map(({ about, receiver, run, nextAtMs, body }) => [about, receiver, run, nextAtMs, JSON.parse(body) as unknown])).toEqual([
    [
      "nightly",
      "file:/srv/news",
      "run-test",
      here.clock.nowMs(),
      expect.objectContaining({ news: { kind: "said", run: "run-test", at: here.clock.nowMs(), text: "Half done." } }),
    ],
  ]);
  const alone = jobOf(null);
  await alone.call("send_user_message", { text: "Half done." });
  expect(alone.store.outbox.waiting("job-news", 9)).toEqual([]);
});
