import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "./attack.ts";

/** Compiles the attacks in C into one static program, whose first argument is an attack's id. Throws with the compiler's words. */
export function buildProbe(attacks: readonly Attack[], directory: string): string {
  const source = join(directory, "probe.c");
  const program = join(directory, "probe");
  writeFileSync(source, sourceOf(attacks.filter(isInC)));
  const warnings = ["-Wall", "-Wno-unused-variable", "-Wno-unused-function", "-Wno-nonnull", "-Wno-misleading-indentation"];
  const argv = ["-std=gnu11", "-O1", "-static", ...warnings, "-I", import.meta.dirname, "-o", program, source];
  try {
    compile("musl-gcc", argv);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    compile("gcc", argv);
  }
  return program;
}

function compile(compiler: string, argv: readonly string[]): void {
  execFileSync(compiler, argv, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
}

/** Whether an attack is a subcommand of the program. */
export const isInC = (attack: Attack): boolean => attack.c !== undefined || attack.calls !== undefined;

function sourceOf(attacks: readonly Attack[]): string {
  const functions = attacks.map((attack) => `static void ${nameOf(attack)}(void) {\n${(attack.calls ?? []).map(callText).join("")}${attack.c ?? ""}\n}\n`);
  const table = attacks.map((attack) => `  if (strcmp(argv[1], "${attack.id}") == 0) { ${nameOf(attack)}(); return 0; }\n`);
  return `#include "probe.h"\n${functions.join("")}int main(int argc, char **argv) {\n  if (argc != 2) return 2;\n  if (strcmp(argv[1], "open-queue") == 0) return open_queue();\n  if (strcmp(argv[1], "close-queue") == 0) return close_queue();\n  mkdir(getenv("SCRATCH"), 0755);\n${table.join("")}  return 2;\n}\n`;
}

const nameOf = (attack: Attack): string => `attack_${attack.id.replaceAll("-", "_")}`;

/** A number instead of a name is a call that the C library's headers may not know yet; a name that this machine has not is no way in. */
function callText([name, text, answers]: readonly [string | number, string, string]): string {
  const words = text === "" ? "" : `, ${text}`;
  if (typeof name === "number") return `  must_fail("call ${name}", syscall(${name}${words}), "${answers}");\n`;
  return `#ifdef SYS_${name}\n  must_fail("${name}", syscall(SYS_${name}${words}), "${answers}");\n#else\n  held("${name}", "there is none on this machine");\n#endif\n`;
}
