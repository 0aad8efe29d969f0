import { spawn } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { readWorkspaces } from "../../../config/state/workspaces.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import type { Verdict } from "../../../policy/decision.ts";
import type { Decided } from "../../../policy/comparing/difference.ts";
import { isWithin } from "../../../policy/matching/paths.ts";
import { jsonOf, readTables, recordOf, type WarderTables } from "./own-tables.ts";

/** Another Warder, and what it starts with. */
export type OtherWarder = {
  /** Absolute path of an executable. */
  readonly program: string;
  /** Where it starts. */
  readonly directory: string;
  /** An empty state directory of its own, mode 0700. */
  readonly state: string;
  /** So long it may print nothing. */
  readonly silenceMs: number;
};

/** Tables null: it is too old to print them. */
export type Introduced = { readonly version: string; readonly tables: WarderTables | null };

const MAX_BYTES = 64 * 1024 ** 2;
const USAGE = 2;
const BAD_POLICY = 78;
const REMEDY = 'Name the Warder to compare with: --from-warder "$(command -v warder)"';

/** The absolute path of a program that a person named. Throws `usage` for none, and for one that an agent could have written. */
export function programNamed(named: string): string {
  const shown = makeVisibleLine(named);
  if (!named.includes("/")) throw new AgentError("usage", `${shown} is no path of a program: it has no "/".`, { remedy: REMEDY });
  const program = resolve(named);
  const real = realPathOf(program, shown);
  const place = (readWorkspaces(stateDirectory(process.env)) ?? []).find((workspace) => isWithin(real, workspace) || isWithin(program, workspace));
  // By the name that was given: some programs look at it.
  if (place === undefined) return program;
  throw new AgentError("usage", `${shown} lies in ${makeVisibleLine(place)}, where runs of agents write, and would be started with your rights.`, {
    remedy: "Install that Warder outside every workspace, and name it there.",
  });
}

function realPathOf(program: string, shown: string): string {
  try {
    const real = realpathSync(program);
    accessSync(real, constants.X_OK);
    if (statSync(real).isFile()) return real;
  } catch (error) {
    throw new AgentError("usage", `There is no program ${shown} that you may start.`, { cause: error, remedy: REMEDY });
  }
  throw new AgentError("usage", `${shown} is no program.`, { remedy: REMEDY });
}

/** Asks who it is. Throws `usage` where it is no Warder. */
export async function introduce(other: OtherWarder): Promise<Introduced> {
  const end = await run(other, ["policy", "tables"], "");
  const tables = end.code === 0 ? readTables(end.stdout) : null;
  if (tables !== null) return { version: tables.warder, tables };
  // A version that has no such command says so as every program does.
  const { code, stdout, stderr } = end.code === USAGE ? await run(other, ["--version"], "") : end;
  const version = stdout.trim();
  if (end.code !== USAGE || code !== 0 || !/^\d+\.\d+\.\d+[\w.+-]*$/u.test(version)) throw fault(other, "does not answer as a Warder does", stderr);
  return { version, tables: null };
}

/**
 * What it decides about each command in an empty workspace, as `check --jsonl` says it. Throws `bad-policy` where it cannot load the policy, and `usage` where
 * one answer is missing or none: then nothing is known of the others either.
 */
export async function verdictsOf(
  other: OtherWarder,
  policy: string,
  { workspace, commands }: { readonly workspace: string; readonly commands: readonly string[] },
): Promise<readonly Decided[]> {
  const lines = commands.map((command, id) => `${JSON.stringify({ id, command })}\n`).join("");
  const { code, ending, stdout, stderr } = await run(other, ["check", "--policy", policy, "--workspace", workspace, "--jsonl"], lines);
  if (code === BAD_POLICY)
    throw new AgentError("bad-policy", `${makeVisibleLine(other.program)} cannot load the policy:\n${makeVisible(stderr.trim())}`, {
      remedy: "Compare by a policy that both versions read.",
    });
  if (code !== 0) throw fault(other, `ended with ${ending} instead of answering`, stderr);
  const answers = stdout.split("\n").filter((line) => line !== "");
  if (answers.length !== commands.length) throw fault(other, `gave ${String(answers.length)} answers to ${String(commands.length)} questions`, stderr);
  return answers.map((line, id) => decidedBy(line, id) ?? raise(fault(other, "gave an answer that is none", line)));
}

const VERDICTS: readonly string[] = ["allow", "ask", "deny"] satisfies readonly Verdict[];

/** Null: it answers no question, or another one. */
function decidedBy(line: string, id: number): Decided | null {
  const answer = recordOf(jsonOf(line));
  const [first] = Array.isArray(answer["rules"]) ? (answer["rules"] as readonly unknown[]) : [];
  const { decision } = answer;
  const rule = recordOf(first)["id"];
  if (answer["id"] !== id || "error" in answer || typeof decision !== "string" || !VERDICTS.includes(decision) || typeof rule !== "string") return null;
  return { verdict: decision as Verdict, rule };
}

/** `ending`: the code or the signal. */
type End = { readonly code: number | null; readonly ending: string; readonly stdout: string; readonly stderr: string };

async function run({ program, directory, state, silenceMs }: OtherWarder, argv: readonly string[], input: string): Promise<End> {
  const env = { ...process.env, WARDER_HOME: state, NO_COLOR: "1" };
  const child = spawn(program, argv, { cwd: directory, env, stdio: ["pipe", "pipe", "pipe"] });
  const { promise, resolve: end, reject } = Promise.withResolvers<End>();
  const parts: Buffer[] = [];
  const said = { bytes: 0, stderr: "" };
  const stop = (what: string): void => {
    child.kill("SIGKILL");
    // Whatever it started may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
    reject(fault({ program }, what, said.stderr));
  };
  const hear = (bytes: number): void => {
    said.bytes += bytes;
    silence.refresh();
    if (said.bytes > MAX_BYTES) stop("says more than any Warder");
  };
  const silence = setTimeout(() => stop(`said nothing for ${String(silenceMs / 1000)} seconds`), silenceMs);
  child.stdout.on("data", (part: Buffer) => {
    parts.push(part);
    hear(part.length);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr = `${said.stderr}${text}`.slice(-MAX_STDERR);
    hear(text.length);
  });
  child.on("error", (error) => reject(fault({ program }, "cannot be started", error.message)));
  child.on("close", (code, signal) => end({ code, ending: signal ?? String(code), stdout: Buffer.concat(parts).toString("utf8"), stderr: said.stderr }));
  // Who ends early does not read it all; its answers then are too few.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return await promise.finally(() => clearTimeout(silence));
}

const MAX_STDERR = 2000;

function fault({ program }: Pick<OtherWarder, "program">, what: string, said: string): AgentError {
  const first = makeVisibleLine(said.trim().split("\n")[0] ?? "").slice(0, 300);
  return new AgentError("usage", `${makeVisibleLine(program)} ${what}${first === "" ? "" : ` (${first})`}. Nothing was compared.`, { remedy: REMEDY });
}

function raise(error: Error): never {
  throw error;
}
