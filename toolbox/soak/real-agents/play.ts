import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "../../../src/foreign/dialects.ts";
import { INSTALLATIONS } from "../../../src/foreign/installation.ts";
import { warderAtTerminal } from "../../../test/support/pseudo-terminal.ts";
import { makePlace, type Place, warder } from "../../../test/support/warder-cli.ts";
import { type RealAgent, writeFiles } from "./agents.ts";
import { type AgentCall, startAgentModel } from "./model.ts";

/** What becomes of Warder before the agent starts. `script`: what the file at its path does instead; null: it is gone. */
export type Hook =
  | { readonly name: string; readonly kind: "none" | "whole" }
  /** A person says yes to what was asked, and the agent makes the same call again. */
  | { readonly name: string; readonly kind: "granted" }
  | { readonly name: string; readonly kind: "replaced"; readonly script: string | null };

/** What an agent did with its model's four calls. */
export type End = {
  readonly exitCode: number | null;
  readonly deleted: boolean;
  readonly written: boolean;
  readonly served: boolean;
  readonly ranHarmless: boolean;
  /** The model was told why. */
  readonly toldWhy: boolean;
  /** Questions that a person said yes to. */
  readonly asked: number;
  /** It made every call, and was told what came of each. */
  readonly isWhole: boolean;
  readonly output: string;
};

/** Without the one that is made again. */
const CALLS = 4;
const LIMIT_MS = 180_000;
const SERVER = join(import.meta.dirname, "server.ts");
/** In an installed line or plugin, what is started. */
const STARTED = /timeout -k 1 15 [^\s"]+(?= hook)/gu;

/** Runs an agent to its end with a model that deletes a directory and writes a file outside the workspace, calls an MCP server, and lists the workspace. */
export async function play(name: AgentName, agent: RealAgent, program: string, hook: Hook): Promise<End> {
  const here = makePlace();
  try {
    const [victim, called] = [join(here.root, "victim"), join(here.root, "called")];
    // Where the agent by itself writes under no circumstances outside of the project: one that direnv runs.
    const file = agent.isBound === true ? join(here.workspace, ".envrc") : join(here.root, "written");
    for (const folder of [victim, join(here.workspace, ".git")]) mkdirSync(folder);
    const [removing, writing, looking] = [agent.shell(`rm -r ${victim}`), agent.edit(file), agent.shell("expr 20 + 3; pwd")];
    const serving = agent.served ?? { name: "explode", input: {} };
    let asked = 0;
    const afterYes = async (): Promise<AgentCall> => {
      const questions = await questionsOf(here);
      asked = questions.length;
      for (const question of questions) await grant(here, question);
      return serving;
    };
    const isGranted = hook.kind === "granted";
    await using model = await startAgentModel([removing, writing, serving, ...(isGranted ? [afterYes] : []), looking]);
    writeFiles(here.home, agent.files(model.url, [process.execPath, SERVER, called]));
    if (hook.kind !== "none") await install(name, here, hook);
    const env = { PATH: process.env["PATH"], HOME: here.home, WARDER_HOME: here.state, TERM: "dumb", ...agent.environment(model.url) };
    const argv = [...agent.argv(here.home), ...(isGranted ? (agent.numbered ?? []) : [])];
    const { exitCode, output } = await runToEnd(program, argv, { cwd: here.workspace, env });
    const told = model.told.at(-1) ?? "";
    return {
      exitCode,
      asked,
      deleted: !existsSync(victim),
      written: existsSync(file),
      served: existsSync(called),
      ranHarmless: new RegExp(String.raw`23(?:\\n|\n)\S*${here.workspace}`, "u").test(told),
      toldWhy: /outside-roots|outside the|Denied by Warder|did not answer|denied/iu.test(told),
      isWhole: model.told.length > CALLS,
      output: `${output}\noffered: ${[...model.offered].join(" ")}\n${model.told.map((each) => each.slice(-1_500)).join("\n--\n")}`,
    };
  } finally {
    here.remove();
  }
}

async function questionsOf(here: Place): Promise<readonly string[]> {
  const { stdout } = await warder(here, ["approvals", "list", "--json"]);
  return (JSON.parse(stdout) as { readonly approvals: readonly { readonly id: string }[] }).approvals.map(({ id }) => id);
}

/** A person says yes, at a terminal. */
async function grant(here: Place, question: string): Promise<void> {
  const terminal = warderAtTerminal(here, ["approvals", "grant", question]);
  await terminal.shows(/Allow\?/u);
  terminal.type("o");
  const [, word = ""] = await terminal.shown(/type this word: (\S+)[\s\S]*> $/u);
  terminal.type(`${word}\r`);
  await terminal.ended;
}

async function install(name: AgentName, here: Place, hook: Hook): Promise<void> {
  const end = await warder(here, ["hook", "install", name, "--yes"]);
  if (end.exitCode !== 0) throw new Error(`The hook of ${name} was not installed: ${end.stdout}${end.stderr}`);
  if (hook.kind !== "replaced") return;
  const [folder, below] = INSTALLATIONS[name as keyof typeof INSTALLATIONS].user;
  const path = join(here.home, folder, below);
  const broken = join(here.root, "warder");
  if (hook.script !== null) writeFileSync(broken, `#!/bin/sh\n${hook.script}\n`, { mode: 0o755 });
  const text = readFileSync(path, "utf8");
  const changed = text.replaceAll(STARTED, `timeout -k 1 2 ${broken}`);
  if (changed === text) throw new Error(`${path} starts nothing that could be replaced.`);
  writeFileSync(path, changed);
}

type Started = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

async function runToEnd(
  program: string,
  argv: readonly string[],
  { cwd, env }: Started,
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const child = spawn(program, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LIMIT_MS);
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
  clearTimeout(timer);
  return { exitCode, output };
}
