/**
 * Other agents' hooks at once over one audit log: SESSIONS agents give `warder hook claude-code` a call after each other, all at the same time, some of them
 * killed in the middle. Afterwards the log is intact, every call that was answered is in it exactly once with that answer, and none that was not asked is. What is
 * denied because it could not be recorded is counted apart.
 *
 *   npm run soak -- hook-events [--events 10000] [--sessions 8] [--kills 1] [--minutes 60] [--seed 1] [--kept]
 *
 * `--kills`: how many of a hundred are killed at a random moment. It stops early after --minutes. `--kept`: one process for a session in place of one for each
 * call, which opens and closes the log for each all the same: most of a call's time is the start of its process. Exit code 1 where a call is missing, twice or
 * different.
 */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { parseArgs } from "node:util";
import { answerEvent } from "../../src/app/foreign/answer-event.ts";
import { DIALECTS } from "../../src/foreign/dialects.ts";
import { makePlace, WARDER, warder } from "../../test/support/warder-cli.ts";
import { createRandom } from "../shared/random.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    sessions: { type: "string", default: "8" },
    kills: { type: "string", default: "1" },
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    kept: { type: "boolean", default: false },
    answers: { type: "boolean", default: false },
  },
});
if (values.answers) await answerLines();
const [events, sessions] = [Number(values.events), Number(values.sessions)];
const random = createRandom(Number(values.seed));
const here = makePlace();
mkdirSync(join(here.workspace, ".git"));
const endMs = performance.now() + Number(values.minutes) * 60_000;

const CALLS = [
  { tool_name: "Read", tool_input: { file_path: "a" }, answer: "allow" },
  { tool_name: "Write", tool_input: { file_path: "/etc/passwd", content: "x" }, answer: "deny" },
  { tool_name: "Bash", tool_input: { command: "git status && ls" }, answer: "allow" },
  { tool_name: "Write", tool_input: { file_path: ".env", content: "x" }, answer: "deny" },
] as const;

const answered = new Map<string, string>();
const wrong: string[] = [];
const unrecorded: string[] = [];
const unanswered = new Set<string>();
let made = 0;

type Said = { readonly hookSpecificOutput: { readonly permissionDecision: string; readonly permissionDecisionReason: string } };

/** Gives the event to a hook, and its words back; null: it was killed before it answered. */
type Hook = (event: string, killAfterMs: number | null) => Promise<string | null>;

const started = (program: string, argv: readonly string[]) =>
  spawn(program, argv, {
    cwd: here.workspace,
    env: { ...process.env, HOME: here.home, WARDER_HOME: here.state },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });

/** One process for each call, as another agent starts it. */
const eachItsOwn: Hook = async (event, killAfterMs) => {
  const child = started(WARDER, ["hook", "claude-code"]);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stdin.on("error", () => {});
  child.stdin.end(event);
  const timer = killAfterMs === null ? undefined : setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), killAfterMs);
  const code = await new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
  clearTimeout(timer);
  return code === null || said === "" ? null : said;
};

/** One process for a session, started again when it was killed. */
function keptHook(): { readonly ask: Hook; end(): void } {
  let child: ReturnType<typeof started> | null = null;
  let lines: Interface | null = null;
  const ask: Hook = async (event, killAfterMs) => {
    if (child === null || lines === null) {
      child = started(process.execPath, [import.meta.filename, "--answers"]);
      child.stdin.on("error", () => {});
      lines = createInterface({ input: child.stdout });
    }
    const [now, heard] = [child, lines];
    const said = new Promise<string | null>((resolve) => {
      heard.once("line", resolve).once("close", () => {
        resolve(null);
      });
    });
    now.stdin.write(`${event}\n`);
    // A call takes some milliseconds here.
    const timer = killAfterMs === null ? undefined : setTimeout(() => now.kill("SIGKILL"), killAfterMs / 20);
    const answer = await said;
    clearTimeout(timer);
    heard.removeAllListeners("close");
    if (answer === null || now.killed) child = lines = null;
    return answer;
  };
  return { ask, end: () => child?.stdin.end() };
}

/** What such a process does: a line is an event, and what is said to the agent is a line. */
async function answerLines(): Promise<never> {
  const setting = { agent: "claude-code", dialect: DIALECTS["claude-code"], policy: "supervised", workspace: null, isShadow: false } as const;
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${(await answerEvent(line, setting)).stdout.trim()}\n`);
  process.exit();
}

async function ask(
  hook: Hook,
  { session, call, tool_name, tool_input }: { readonly session: string; readonly call: string } & Pick<(typeof CALLS)[number], "tool_name" | "tool_input">,
  killAfterMs: number | null,
): Promise<{ readonly answer: string; readonly reason: string } | null> {
  const where = { session_id: session, cwd: here.workspace, hook_event_name: "PreToolUse", permission_mode: "default" };
  const said = await hook(JSON.stringify({ ...where, tool_name, tool_input, tool_use_id: call }), killAfterMs);
  if (said === null) return null;
  const { permissionDecision: answer, permissionDecisionReason: reason } = (JSON.parse(said) as Said).hookSpecificOutput;
  return { answer, reason };
}

async function playSession(session: string): Promise<void> {
  const kept = values.kept ? keptHook() : null;
  while (made < events && performance.now() < endMs) {
    const [call, kind] = [`${session}-${String((made += 1))}`, random.pick(CALLS)];
    const isKilled = random.below(100) < Number(values.kills);
    const said = await ask(kept?.ask ?? eachItsOwn, { session, call, ...kind }, isKilled ? random.below(600) : null);
    if (said === null) {
      unanswered.add(call);
      if (!isKilled) wrong.push(`${call} was not answered`);
      continue;
    }
    const { answer, reason } = said;
    if (answer === "deny" && reason.startsWith("Denied by Warder: it could not be judged")) {
      unrecorded.push(`${call}: ${reason}`);
      unanswered.add(call);
      continue;
    }
    answered.set(call, answer);
    if (answer !== kind.answer) wrong.push(`${call} was answered ${answer} and not ${kind.answer}`);
  }
  kept?.end();
}

const startMs = performance.now();
try {
  await Promise.all(Array.from({ length: sessions }, (_, index) => playSession(`s${String(index)}`)));
  const tookMs = performance.now() - startMs;
  const verified = await warder(here, ["audit", "verify"]);
  if (verified.exitCode !== 0) wrong.push(`the log is not intact: ${verified.stdout}`);
  const { stdout } = await warder(here, ["audit", "export", "--kind", "hook-answered"]);
  const told = new Map<string, number>();
  for (const line of stdout.split("\n").filter((each) => each !== "")) {
    const record = JSON.parse(line) as { readonly call: string; readonly answer: string };
    told.set(record.call, (told.get(record.call) ?? 0) + 1);
    const answer = answered.get(record.call);
    if (answer === undefined ? !unanswered.has(record.call) : answer !== record.answer) wrong.push(`${record.call} is in the log as ${record.answer}`);
  }
  for (const call of answered.keys()) if (told.get(call) !== 1) wrong.push(`${call} is ${String(told.get(call) ?? 0)} times in the log`);
  console.log(
    `${String(made)} events of ${String(sessions)} sessions in ${(tookMs / 60_000).toFixed(1)} minutes, ${String(unanswered.size)} killed or unjudged`,
  );
  console.log(
    `${String(answered.size)} answered, ${String(told.size)} in the log, ${String(unrecorded.length)} denied unjudged, ${String(wrong.length)} wrong`,
  );
  for (const each of unrecorded.slice(0, 5)) console.log(each);
  for (const each of wrong.slice(0, 20)) console.log(`WRONG: ${each}`);
} finally {
  here.remove();
}
if (wrong.length > 0) process.exitCode = 1;
