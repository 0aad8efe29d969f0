import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { profileOf } from "../../../src/app/setup/profile.ts";
import { digestOf } from "../../../src/base/digest.ts";
import { AgentError } from "../../../src/base/errors.ts";
import { loadPolicy } from "../../../src/config/policy/load.ts";
import { Permit } from "../../../src/policy/permit.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { Outcome } from "../../../src/sandbox/outcome.ts";
import type { SandboxProfile, Session } from "../../../src/sandbox/runtime.ts";
import { makeFixture, ORDINARY_UID, type SandboxFixture } from "../../../test/contract/sandbox-fixture.ts";
import { mountsBelow } from "../../../test/contract/runtime.ts";
import { openCanaries } from "../../../test/escape/canaries.ts";

export type HostileCommand = { readonly id: string; readonly command: string; readonly label: string };

/** How one command ended; `isLate` when it took longer than its limit and the time to clean up. */
export type HostileEnd = { readonly id: string; readonly label: string; readonly ending: string; readonly durationMs: number; readonly isLate: boolean };

export type HostileReport = {
  readonly ends: readonly HostileEnd[];
  /** Sessions that a command ended, which a command may do to its own. */
  readonly sessionsLost: number;
  /** What moved on the host, a line each. */
  readonly moved: readonly string[];
  /** Containers, mounts and volumes that were still there at the end. */
  readonly left: readonly string[];
};

export type HostileOptions = {
  readonly policy: string;
  readonly timeoutMs: number;
  /** Sandboxes at once. */ readonly lanes: number;
  readonly onEnd?: (end: HostileEnd) => void;
  /** The engine's socket, `unix://…`; absent: Docker's own. */ readonly dockerHost?: string;
};

/** A sandbox is thrown away after so many commands, or the first `rm` would leave the others nothing to harm. */
const COMMANDS_PER_SESSION = 25;
/** What the supervisor and the engine may take to end what has run out of time, on a busy machine. */
const GRACE_MS = 60_000;

const FILES = { "README.md": "# A project\n", "src/main.c": "int main(void) { return 0; }\n", "data/list.txt": "one\ntwo\n" };

/**
 * Executes commands in sandboxes of a policy without asking it, because it is the sandbox that is tested. Throws when a sandbox is not
 * what the policy says, and then nothing has run in it.
 */
export async function runHostile(commands: readonly HostileCommand[], options: HostileOptions): Promise<HostileReport> {
  const fixtures = Array.from({ length: options.lanes }, () => makeFixture(FILES, ORDINARY_UID));
  const canaries = await openCanaries(`warder-canary-${fixtures[0]?.runId.slice(-6) ?? ""}`, {
    watched: fixtures.map(({ workspace }) => workspace),
    probe: null,
  });
  const before = mounts();
  const queue = [...commands];
  const ends: HostileEnd[] = [];
  const moved: string[] = [];
  const counts = { lost: 0, opened: 0 };
  const work = async (fixture: SandboxFixture): Promise<void> => {
    while (queue.length > 0) {
      counts.opened += 1;
      const runDirectory = join(fixture.runDirectory, String(counts.opened));
      const session = await openProven(fixture, options, runDirectory);
      try {
        for (const next of queue.splice(0, COMMANDS_PER_SESSION)) {
          const end = await execute(session, next, options.timeoutMs);
          ends.push(end);
          options.onEnd?.(end);
          if (end.ending !== "failed session-lost") continue;
          counts.lost += 1;
          break;
        }
      } finally {
        await session.close();
        // With the changes, which may be large.
        rmSync(runDirectory, { recursive: true, force: true });
      }
      moved.push(...(await canaries.moved()));
    }
  };
  try {
    await Promise.all(fixtures.map(work));
    moved.push(...(await canaries.moved()));
    return { ends, sessionsLost: counts.lost, moved, left: leftOf(fixtures, before) };
  } finally {
    canaries.close();
    for (const fixture of fixtures) fixture.remove();
  }
}

function leftOf(fixtures: readonly SandboxFixture[], before: readonly string[]): readonly string[] {
  return [
    ...fixtures.flatMap(({ runId }) => containers(runId).map((id) => `the container ${id}`)),
    ...fixtures.flatMap(({ runId }) => volumes(runId).map((name) => `the volume ${name}`)),
    ...fixtures.flatMap(({ folder }) => mountsBelow(folder).map((line) => `the mount ${line}`)),
    ...mounts()
      .filter((line) => !before.includes(line))
      .map((line) => `the mount ${line}`),
  ];
}

/** Throws unless the sandbox is as closed as the policy says: it is looked at from inside before anything runs in it. */
async function openProven(fixture: SandboxFixture, options: HostileOptions, runDirectory: string): Promise<Session> {
  const profile = hostileProfile(fixture, options.policy);
  mkdirSync(runDirectory, { mode: 0o700 });
  return await dockerRuntime({ dockerHost: options.dockerHost }).open(profile, { runId: `${fixture.runId}-${basename(runDirectory)}`, runDirectory });
}

function hostileProfile(fixture: SandboxFixture, policyName: string): SandboxProfile {
  const home = "/home/somebody";
  const { policy } = loadPolicy(policyName, { workspace: fixture.workspace, home, stateDirectory: fixture.state });
  const profile = profileOf(policy, { workspace: fixture.workspace, home, environment: {}, ownPaths: [fixture.state] });
  const problems = [
    profile.settings.network.allow.length > 0 ? "it has a network" : null,
    profile.settings.workspace === "bind" ? "its workspace is the host's own" : null,
    profile.roots.length > 1 ? "it shows more of the host than the workspace" : null,
    profile.settings.runtime === "docker" ? null : "it is not for Docker",
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new AgentError("broken-invariant", `The policy ${policyName} is not for hostile commands: ${problems.join(", ")}.`);
  return profile;
}

async function execute(session: Session, { id, command, label }: HostileCommand, timeoutMs: number): Promise<HostileEnd> {
  const startedMs = performance.now();
  const outcome = await perform(session, command, timeoutMs, 64 * 1024);
  const durationMs = performance.now() - startedMs;
  return { id, label, ending: endingOf(outcome), durationMs, isLate: durationMs > timeoutMs + GRACE_MS };
}

function perform(session: Session, text: string, timeoutMs: number, outputBytes: number): Promise<Outcome> {
  const action = {
    kind: "exec" as const,
    argv: ["/bin/bash", "--norc", "--noprofile", "-c", text],
    cwd: session.profile.roots[0]?.path ?? "/",
    env: {},
    timeoutMs,
    outputBytes,
  };
  return session.perform(new Permit(digestOf(action), "ruling"), action);
}

function endingOf(outcome: Outcome): string {
  if (outcome.kind === "failed") return `failed ${outcome.code}`;
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec") return outcome.kind;
  if (outcome.result.signal !== null) return `ended by ${outcome.result.signal}`;
  // 127: bash found no such program, so that less was attempted than the text says.
  return outcome.result.exitCode === 0 ? "exit 0" : outcome.result.exitCode === 127 ? "no such program" : "exit above 0";
}

function lines(...argv: readonly string[]): readonly string[] {
  return execFileSync("docker", argv, { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
}

// Each session of a fixture is a run of its own, named after the fixture's.
const containers = (runId: string): readonly string[] =>
  lines("ps", "--all", "--format", '{{.ID}} {{.Label "warder.run"}}').filter((line) => line.includes(runId));
const volumes = (runId: string): readonly string[] =>
  lines("volume", "ls", "--format", '{{.Name}} {{.Label "warder.run"}}').filter((line) => line.includes(runId));
/** Over the system's own folders: other places have the mounts of other programs, engines and sandboxes, which come and go. */
const mounts = (): readonly string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((target) => /^\/(?:bin|boot|dev|etc|lib\w*|opt|proc|root|sbin|srv|usr)(?:\/|$)/u.test(target));
