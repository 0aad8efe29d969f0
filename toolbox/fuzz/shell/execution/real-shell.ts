import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { runnerCommand } from "./stub-root.ts";

/** What surrounds a text when it runs. */
export type Environment = {
  /** What every stub ends with. */
  readonly exitCode: 0 | 1;
  /** Index of what every stub prints: nothing, the name of a program, a subscript with a substitution. */
  readonly output: 0 | 1 | 2;
  /** Whether `x` and `y` are set: `rm` and `a b`. */
  readonly isSet: boolean;
  readonly hasFiles: boolean;
};

export type Started = { readonly program: string; readonly directory: string; readonly argv: readonly string[] };

/** What a text really did. */
export type Execution = {
  /** The exit code, 1000 + signal, or -1 for a text that ran out of time. */
  readonly status: number;
  readonly started: readonly Started[];
  readonly stderr: string;
  /** Absolute paths of files that were created or changed. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
};

/** A real bash in a root of stubs. Texts run in the order in which they were given, those with files beside those without. */
export type RealShell = {
  readonly run: (text: string, environment: Environment) => Promise<Execution>;
  readonly close: () => Promise<void>;
};

type Waiting = { readonly resolve: (execution: Execution) => void; readonly reject: (error: Error) => void };

/** Starts two runners in the root that `buildStubRoot` made: each keeps its folder as it is, with files or without. */
export function openRealShell(root: string): RealShell {
  const [bare, filled] = [openRunner(root), openRunner(root)];
  return {
    run: (text, environment) => (environment.hasFiles ? filled : bare).run(text, environment),
    close: async () => {
      await Promise.all([bare.close(), filled.close()]);
    },
  };
}

function openRunner(root: string): RealShell {
  const [command, words] = runnerCommand(root);
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"] });
  const waiting: Waiting[] = [];
  let complaints = "";
  const ended = new Promise<void>((resolve) => {
    child.on("close", (code) => {
      for (const each of waiting.splice(0)) each.reject(new Error(`the runner ended with ${String(code)}: ${complaints}`));
      resolve();
    });
  });
  child.on("error", (error) => {
    complaints += error.message;
  });
  child.stdin.on("error", (error) => {
    complaints += error.message;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-2000);
  });
  readAnswers(child, waiting);
  return {
    run: (text, environment) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(request(text, environment));
      }),
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

function request(text: string, environment: Environment): Buffer {
  const body = Buffer.from(text, "utf8");
  const head = Buffer.alloc(8);
  head.writeUInt32LE(body.length, 0);
  head[4] = environment.exitCode;
  head[5] = environment.output;
  head[6] = environment.isSet ? 1 : 0;
  head[7] = environment.hasFiles ? 1 : 0;
  return Buffer.concat([head, body]);
}

function readAnswers(child: ChildProcess & { stdout: NodeJS.ReadableStream }, waiting: Waiting[]): void {
  let received: Buffer = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= 4) {
      const length = received.readUInt32LE(0);
      if (received.length < 4 + length) return;
      waiting.shift()?.resolve(readAnswer(received.subarray(4, 4 + length)));
      received = received.subarray(4 + length);
    }
  });
}

function readAnswer(answer: Buffer): Execution {
  let at = 4;
  const next = (): string => {
    const length = answer.readUInt32LE(at);
    const text = answer.toString("utf8", at + 4, at + 4 + length);
    at += 4 + length;
    return text;
  };
  const started = readStarted(next().split("\0").slice(0, -1));
  const stderr = next();
  const changes = next().split("\0").slice(0, -1);
  const withSign = (sign: string): readonly string[] => changes.filter((change) => change.startsWith(sign)).map((change) => change.slice(1));
  return { status: answer.readInt32LE(0), started, stderr, written: withSign("+"), removed: withSign("-") };
}

/** Records as stub.h writes them. */
function readStarted(texts: readonly string[]): readonly Started[] {
  const started: Started[] = [];
  for (let at = 0; at < texts.length;) {
    const end = at + 1 + Number(texts[at]);
    // The log is cut at its limit.
    if (end > texts.length) break;
    const [program = "", directory = "", ...argv] = texts.slice(at + 1, end);
    started.push({ program, directory, argv });
    at = end;
  }
  return started;
}
