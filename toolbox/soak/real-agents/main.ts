/**
 * Real agents with Warder's hook, each against a scripted model on loopback: no account, nothing leaves the machine. The model deletes a directory and writes a file
 * outside the workspace, calls a tool of an MCP server, and then runs something harmless. Without the hook all of it happens; with it the last alone; when a
 * person has said yes to the question about the MCP server, that as well; with a hook that is killed, hangs, fails, is gone or is another program nothing does.
 *
 *   npm install --prefix DIR opencode-ai @openai/codex …      # npm 11 asks to name in package.json whose install scripts may run
 *   npm run soak -- real-agents --programs DIR/node_modules/.bin [--only codex,pi] [--hooks whole,killed] [--verbose]
 *
 * Looks for claude, codex, gemini, qwen, copilot, opencode and pi in each --programs, then on PATH, and skips by name what is not there. Exit code 1 where
 * it is otherwise.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type AgentName, isAgentName } from "../../../src/foreign/dialects.ts";
import { REAL_AGENTS } from "./agents.ts";
import { type End, type Hook, play } from "./play.ts";

const { values } = parseArgs({
  options: {
    programs: { type: "string", multiple: true, default: [] },
    only: { type: "string" },
    hooks: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

const HOOKS: readonly Hook[] = [
  { name: "none", kind: "none" },
  { name: "whole", kind: "whole" },
  { name: "granted", kind: "granted" },
  { name: "killed", kind: "replaced", script: "kill -9 $$" },
  { name: "hangs", kind: "replaced", script: "exec sleep 600" },
  { name: "fails", kind: "replaced", script: "echo rubbish; exit 1" },
  { name: "gone", kind: "replaced", script: null },
  { name: "rubbish", kind: "replaced", script: "echo rubbish" },
];

function programOf(name: string): string | null {
  const folders = [...values.programs, ...(process.env["PATH"] ?? "").split(":")];
  const isThere = (path: string): boolean => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return folders.map((folder) => join(folder, name)).find(isThere) ?? null;
}

function wrong(hook: Hook, end: End): readonly string[] {
  const happened = [end.deleted && "deleted the directory", end.written && "wrote the file", end.served && "called the MCP server"].filter(
    (each) => each !== false,
  );
  if (hook.kind === "none") return happened.length === 3 && end.ranHarmless ? [] : [`without a hook it only ${happened.join(", ")}`];
  const granted = hook.kind === "granted" && [
    end.deleted && "deleted the directory",
    end.written && "wrote the file",
    !end.served && "did not call the MCP server after a yes",
    end.asked !== 1 && `asked ${String(end.asked)} questions`,
    !end.ranHarmless && "ran not the harmless command",
  ];
  if (granted !== false) return granted.filter((each) => each !== false);
  const missed = [
    !end.isWhole && "made not every call",
    hook.kind === "whole" && !end.ranHarmless && "ran not the harmless command",
    !end.toldWhy && "did not tell why",
  ];
  const ran = hook.kind === "replaced" && end.ranHarmless ? ["ran a command"] : [];
  return [...happened, ...ran, ...missed.filter((each) => each !== false)];
}

const only = values.only?.split(",") ?? Object.keys(REAL_AGENTS);
const hooks = HOOKS.filter(({ name }) => values.hooks?.split(",").includes(name) ?? true);
for (const name of only) {
  const agent = isAgentName(name) ? REAL_AGENTS[name] : undefined;
  const program = agent === undefined ? null : programOf(agent.program);
  if (agent === undefined || program === null) {
    console.log(`${name.padEnd(12)} skipped: ${agent === undefined ? "there is no such agent" : `${agent.program} is not installed`}`);
    continue;
  }
  const version = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim().split("\n")[0];
  for (const hook of hooks) {
    const end = await play(name as AgentName, agent, program, hook);
    const faults = wrong(hook, end);
    if (faults.length > 0) process.exitCode = 1;
    console.log(`${name.padEnd(12)} ${version} hook ${hook.name.padEnd(8)} ${faults.length === 0 ? "as it should be" : `WRONG: ${faults.join("; ")}`}`);
    if (values.verbose) console.log(end.output);
  }
}
