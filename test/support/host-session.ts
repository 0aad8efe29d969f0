import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentError } from "../../src/base/errors.ts";
import { digestOf } from "../../src/base/digest.ts";
import { hostFacts } from "../../src/gate/facts/host-facts.ts";
import type { Policy } from "../../src/policy/policy.ts";
import type { ActionResult, Outcome } from "../../src/sandbox/outcome.ts";
import { isJobAction, type PerformOptions, type SandboxAction, type Session } from "../../src/sandbox/runtime.ts";

/** A session that also tells what it performed. */
export type HostSession = Session & {
  readonly performed: SandboxAction[];
  /** Called between the moment a permit is spent and the action. */
  beforeAction: (action: SandboxAction) => void;
};

/**
 * A TEST DOUBLE for the container, for the logic of the gate only: it spends permits as a real session must, and
 * performs on the host's own files and bash, without containing anything. What containment does is tested with
 * real engines.
 */
export function hostSession(policy: Policy, workspace: string, home: string): HostSession {
  const facts = hostFacts(policy.workspace.roots.map((root) => root.path));
  const performed: SandboxAction[] = [];
  const session: HostSession = {
    id: "session-test",
    runtime: "host-double",
    noBrowser: "The double has no browser.",
    noJobs: "The double keeps no jobs.",
    mount: "bind",
    probed: [],
    imageDigest: "sha256:test",
    profile: { settings: policy.sandbox, roots: [{ path: workspace, access: "read-write" }], forbidden: [], protected: [], env: {}, home, ownPaths: [] },
    publicOnly: new Set(),
    publicHeld: new Set(),
    privateKeys: new Set(),
    redact: (text) => text,
    performed,
    beforeAction: () => null,
    perform: async (permit, action, options) => {
      permit.spend(digestOf(action));
      performed.push(action);
      session.beforeAction(action);
      return await act(action, options ?? {});
    },
    resolve: facts.resolve,
    hash: facts.hash,
    texts: facts.texts,
    names: facts.names,
    bytes: (path, most) => Promise.resolve(existsSync(path) && lstatSync(path).size <= most ? readFileSync(path) : null),
    // As if every file had been changed by the run: enough to bind an approval to their contents.
    changes: () =>
      Promise.resolve(
        readdirSync(workspace, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => ({ path: entry.name, kind: "modified", type: "file", size: lstatSync(join(workspace, entry.name)).size, mode: 0o644 }) as const),
      ),
    still: (work) => work(),
    keepTurn: () => Promise.resolve(null),
    branch: () => Promise.reject(new AgentError("usage", "The double keeps nothing apart.")),
    stopJobs: () => Promise.resolve(),
    look: () => Promise.resolve({ kind: "failed", code: "unsupported", reason: "The double looks at nothing.", durationMs: 0 }),
    lacks: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
  return session;
}

async function act(action: SandboxAction, options: PerformOptions): Promise<Outcome> {
  if (options.signal?.aborted === true) return { kind: "cancelled", partial: null, durationMs: 0 };
  if (action.kind === "exec") return await run(action, options);
  if (action.kind === "request") return { kind: "completed", result: { kind: "request", result: null }, durationMs: 0 };
  if (action.kind === "browse") return { kind: "failed", code: "unsupported", reason: "The double has no browser.", durationMs: 0 };
  if (isJobAction(action)) return { kind: "failed", code: "unsupported", reason: "The double keeps no jobs.", durationMs: 0 };
  const done = (result: ActionResult): Outcome => ({ kind: "completed", result, durationMs: 1 });
  if (action.kind === "write-file") {
    mkdirSync(dirname(action.path), { recursive: true });
    const created = !existsSync(action.path);
    const content = action.encoding === "base64" ? Buffer.from(action.content, "base64") : action.content;
    writeFileSync(action.path, content);
    return done({ kind: "write-file", sha256: sha256(content), created });
  }
  if (!existsSync(action.path)) return { kind: "failed", code: "not-found", reason: "not found", durationMs: 1 };
  if (action.kind === "list") {
    const entries = readdirSync(action.path, { withFileTypes: true }).map(
      (entry) => ({ name: entry.name, type: entry.isDirectory() ? "directory" : "file", size: 0 }) as const,
    );
    return done({ kind: "list", entries, isTruncated: false });
  }
  if (action.kind === "search") return { kind: "failed", code: "io", reason: "The double searches for nothing.", durationMs: 0 };
  const bytes = readFileSync(action.path);
  return done({ kind: "read-file", bytes: bytes.subarray(action.offset, action.offset + action.length), size: bytes.length, sha256: sha256(bytes) });
}

function run(action: Extract<SandboxAction, { kind: "exec" }>, options: PerformOptions): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const [program = "", ...programArguments] = action.argv;
  const child = spawn(program, programArguments, {
    cwd: action.cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const streams = { stdout: "", stderr: "" };
  let ending: "completed" | "timed-out" | "cancelled" = "completed";
  const kill = (why: "timed-out" | "cancelled") => (): void => {
    ending = why;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(kill("timed-out"), action.timeoutMs);
  const onAbort = kill("cancelled");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      streams[name] += text;
      options.onOutput?.(name, text);
    });
  }
  child.once("close", (exitCode, signal) => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    const bounded = (text: string) => ({ text, totalBytes: Buffer.byteLength(text), cutBytes: 0 });
    const result = { kind: "exec", exitCode, signal, stdout: bounded(streams.stdout), stderr: bounded(streams.stderr) } as const;
    resolve(ending === "completed" ? { kind: "completed", result, durationMs: 1 } : { kind: ending, partial: result, durationMs: 1 });
  });
  return promise;
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
