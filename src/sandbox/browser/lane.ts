import { dirname, extname, join } from "node:path";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { Egress } from "../egress/start.ts";
import { EGRESS_TARGET } from "../hardening.ts";
import type { Lane, OpenLane } from "../lane.ts";
import type { PlannedMount } from "../mounts.ts";
import { openLaneIn, type Opened, type SessionPlan } from "../parts.ts";
import type { OpenOptions, SandboxProfile } from "../runtime.ts";
import type { Outcome } from "../outcome.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";
import { isReady, readAnswer } from "./answer.ts";
import { type Channel, openChannel, ORDERS_SOCKET } from "./channel.ts";
import type { BrowserAnswer, BrowserOrder } from "./order.ts";

/** The browser of a session: started by the first order, in a sandbox of its own that sees nothing of the workspace, and one page at a time. */
export type BrowserLane = {
  /** Never rejects. One order after the other. What ends it ends the browser too; the next order that opens a page starts another. */
  perform(order: BrowserOrder, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};

/** Beside what the policy gives the run's own commands. */
const MEMORY_BYTES = 1024 ** 3;
/** Threads count. */
const PROCESSES = 512;
const SCRATCH_BYTES = 256 * 1024 ** 2;
const HOME = "/home/browser";
const HOME_BYTES = 64 * 1024 ** 2;

const PLACE = "/.warder/browser";
const ORDERS_TARGET = `${PLACE}/orders`;
const DRIVER_TARGET = `${PLACE}/driver`;
/** Where the supervisor's forwarder listens (sandbox/supervisor/forward.c). */
const PROXY = "http://127.0.0.1:3128";
const AUTHORITY_NAME = "authority.pem";

const DRIVER_MS = 86_400_000;
const START_MS = 90_000;
/** Beyond its own limit an order may take so long until the browser counts as hung. */
const GRACE_MS = 15_000;
const MAX_COMPLAINT = 500;

type Browser = { readonly lane: Lane; readonly channel: Channel; readonly complaint: () => string };

/** `onOpen`: called before its sandbox is opened, with the image's content digest. When it throws, none is opened. */
export type BrowserPlan = { readonly plan: SessionPlan; readonly openLane: OpenLane; readonly image: string; readonly onOpen?: OpenOptions["onBrowserOpen"] };

export function createBrowserLane({ plan, openLane, image, onOpen }: BrowserPlan, { workspace, egress }: Pick<Opened, "workspace" | "egress">): BrowserLane {
  const apart = apartFrom(workspace, image);
  let browser: Browser | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    const ended = browser;
    browser = null;
    ended?.channel.close();
    await ended?.lane.close();
  };
  const order = async (wanted: BrowserOrder, signal: AbortSignal): Promise<BrowserAnswer> => {
    const directory = egress?.browserDirectory ?? null;
    if (egress === null || directory === null) return failed("the policy gives this run no network");
    if (browser === null && wanted.deed.kind !== "open") return failed("no page is open; open one first");
    try {
      if (browser === null) onOpen?.(image);
      browser ??= await start({ plan: { ...plan, openLane }, apart, egress, directory }, signal);
    } catch (error) {
      if (error instanceof AgentError) return failed(`the browser did not start: ${error.message.replace(/\.$/u, "")}`);
      throw error;
    }
    const { channel, complaint } = browser;
    channel.say(wanted);
    const line = await channel.next(wanted.timeoutMs + GRACE_MS, signal);
    const answer = line === null ? null : readAnswer(line);
    if (answer !== null) return answer;
    const why =
      line !== null ? "it answered with something else than its driver says" : complaint() === "" ? "it ended, took too long, or said too much" : "it ended";
    await end();
    return failed(`the browser is closed now: ${why}. Open the page again, or read it with another tool`);
  };
  const perform = async (wanted: BrowserOrder, signal: AbortSignal): Promise<Outcome> => {
    const begun = performance.now();
    const answer = await order(wanted, signal);
    const durationMs = Math.round(performance.now() - begun);
    return signal.aborted ? { kind: "cancelled", partial: null, durationMs } : { kind: "completed", result: { kind: "browse", answer }, durationMs };
  };
  return {
    perform: (wanted, signal) => {
      const performed = last.then(() => perform(wanted, signal));
      last = performed.catch(() => undefined);
      return performed;
    },
    close: async () => {
      // What is under way ends with its sandbox.
      await end();
      await last;
      await end();
    },
  };
}

const failed = (reason: string): BrowserAnswer => ({ kind: "failed", reason });

type Start = { readonly plan: SessionPlan; readonly apart: PreparedWorkspace; readonly egress: Egress; readonly directory: string };

/** Opens the sandbox and starts the driver in it, which starts Chromium. Throws `sandbox-unavailable`; then nothing is left. */
async function start({ plan, apart, egress, directory }: Start, signal: AbortSignal): Promise<Browser> {
  if (egress.authority !== null) writeFileSync(join(directory, AUTHORITY_NAME), egress.authority, { mode: 0o644 });
  const channel = await openChannel(join(apart.directory, newId("browser")));
  let lane: Lane | null = null;
  try {
    lane = await openLaneIn(plan, { ...apart, mounts: [...apart.mounts, readOnly(channel.directory, ORDERS_TARGET)] }, directory, channel.close);
    let complaint = "";
    const driver = join(DRIVER_TARGET, `driver${extname(fileURLToPath(import.meta.url))}`);
    const ran = lane.supervisor.exec(
      {
        argv: ["/usr/bin/env", "node", "--max-old-space-size=384", driver, `${ORDERS_TARGET}/${ORDERS_SOCKET}`, `${EGRESS_TARGET}/${AUTHORITY_NAME}`, PROXY],
        cwd: "/",
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME, LANG: "C.UTF-8", TZ: "UTC", NODE_NO_WARNINGS: "1" },
        timeoutMs: DRIVER_MS,
        outputBytes: 0,
        keeps: "nothing",
      },
      { onOutput: (_stream, text) => void (complaint = (complaint + text).slice(-MAX_COMPLAINT)) },
    );
    ran.then(channel.close, channel.close);
    const line = await channel.next(START_MS, signal);
    if (line !== null && isReady(line)) return { lane, channel, complaint: () => complaint };
    throw new AgentError("sandbox-unavailable", `Chromium did not start${complaint.trim() === "" ? "." : `: ${complaint.trim()}`}`);
  } catch (error) {
    channel.close();
    await lane?.close();
    throw error;
  }
}

/** A sandbox without a workspace: scratch, the driver's own files, and nothing of the run's. */
function apartFrom(workspace: PreparedWorkspace, image: string): PreparedWorkspace {
  const { settings, registries: _registries, gitIdentity: _gitIdentity, repository: _repository, ...rest } = workspace.profile;
  const { image: _image, ...kept } = settings;
  const profile: SandboxProfile = {
    ...rest,
    image,
    roots: [],
    env: {},
    settings: { ...kept, env: [], memoryBytes: MEMORY_BYTES, processes: PROCESSES },
  };
  const mounts: readonly PlannedMount[] = [
    { kind: "scratch", target: "/tmp", maxBytes: SCRATCH_BYTES },
    { kind: "scratch", target: HOME, maxBytes: HOME_BYTES },
    readOnly(dirname(fileURLToPath(import.meta.url)), DRIVER_TARGET),
    readOnly(dirname(fileURLToPath(import.meta.resolve("playwright-core/package.json"))), `${PLACE}/node_modules/playwright-core`),
  ];
  return { ...workspace, profile, home: HOME, hooks: null, mounts };
}

const readOnly = (source: string, target: string): PlannedMount => ({ kind: "bind", source, target, isReadOnly: true });
