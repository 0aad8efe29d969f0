import { AgentError } from "../base/errors.ts";
import { commandEnvironment } from "./command-environment.ts";
import { closeParts, openParts, type SessionPlan } from "./parts.ts";
import type { Served, ServedCommand } from "./served-command.ts";
import type { ExecReply } from "./supervisor/exec.ts";
import { FEATURE_INPUT, MAX_TIMEOUT_MS } from "./supervisor/protocol.ts";

/** Of what a command says of itself on standard error: the end is kept. */
const MAX_NOISE = 2000;

/** Opens a sandbox for one command that is fed while it runs. Throws what a runtime throws; then nothing is left. */
export async function openServed(plan: SessionPlan, { argv, onOutput }: ServedCommand): Promise<Served> {
  const opened = await openParts(plan, new Map());
  const { lane, workspace } = opened;
  const { supervisor } = lane;
  const stopped = new AbortController();
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    stopped.abort();
    await closeParts(opened, plan.options.runDirectory);
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  if ((supervisor.hello.features & FEATURE_INPUT) === 0) {
    await close();
    throw new AgentError("sandbox-unavailable", "The sandbox's supervisor is older than this Warder, and cannot feed a command.", {
      remedy: "Build it anew: scripts/setup",
    });
  }
  let noise = "";
  let feed: ((bytes: Uint8Array) => void) | null = null;
  const waiting: Uint8Array[] = [];
  const running = supervisor.exec(
    {
      argv,
      cwd: workspace.profile.roots[0]?.path ?? "/",
      env: commandEnvironment(workspace.profile, workspace.home),
      timeoutMs: MAX_TIMEOUT_MS,
      outputBytes: 0,
      keeps: "nothing",
    },
    {
      signal: stopped.signal,
      onOutput: (stream, text) => {
        if (stream === "stdout") return onOutput(text);
        noise = (noise + text).slice(-MAX_NOISE);
        return undefined;
      },
      onInput: (fed) => {
        feed = fed;
        for (const bytes of waiting.splice(0)) fed(bytes);
      },
    },
  );
  return {
    write: (text) => {
      const bytes = new TextEncoder().encode(text);
      if (feed === null) waiting.push(bytes);
      else feed(bytes);
    },
    ended: running.then((reply) => ({ why: whyEnded(reply), noise })),
    uncovered: () => workspace.bound?.check() ?? { taken: [], faults: [] },
    close,
  };
}

function whyEnded(reply: ExecReply): string {
  if (reply.kind === "not-started") return `it did not start: ${reply.reason}`;
  if (reply.kind === "session-lost") return `its sandbox ended: ${reply.reason}`;
  if (reply.cause === "input-limit") return "it did not read what it was sent";
  if (reply.cause === "timed-out") return "it ran for a day";
  if (reply.cause === "cancelled") return "it was ended";
  return reply.signal === null ? `it ended with exit code ${String(reply.exitCode)}` : `${reply.signal} ended it`;
}
