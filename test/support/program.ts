import { spawn, type ChildProcessByStdio } from "node:child_process";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { once } from "./until.ts";

const PROGRAMS = join(import.meta.dirname, "programs");

export type Program = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a program of test/support/programs as a process of its own. */
export function startProgram(name: string, ...programArguments: readonly string[]): Program {
  return spawn(process.execPath, [join(PROGRAMS, `${name}.ts`), ...programArguments], { stdio: ["pipe", "pipe", "inherit"] });
}

/** Runs one to its end; throws when it failed. Returns its standard output. */
export async function runProgram(name: string, ...programArguments: readonly string[]): Promise<string> {
  const program = startProgram(name, ...programArguments);
  const [output, [code]] = await Promise.all([text(program.stdout), once(program, "exit") as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return output;
}

/** Waits until the program has written at least `bytes` bytes, then kills it without warning; returns everything it wrote. */
export async function killAfterOutput(program: Program, bytes: number): Promise<string> {
  let output = "";
  program.stdout.setEncoding("utf8");
  program.stdout.on("data", (chunk: string) => {
    output += chunk;
    if (output.length >= bytes) program.kill("SIGKILL");
  });
  await once(program, "close");
  return output;
}
