import { readFileSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { sandboxFile } from "../shipped-files.ts";

// The kernel takes a filter as classic BPF (seccomp(2)); engines make it from the profile with libseccomp. This does the same for the
// part of the format that sandbox/seccomp.json uses, and refuses the rest: a rule that is not understood must not be left out.

type Condition = { readonly index: number; readonly value: number; readonly valueTwo?: number; readonly op: string };
type Rule = {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly Condition[];
  readonly includes?: unknown;
  readonly excludes?: unknown;
};
type Profile = { readonly defaultAction: string; readonly defaultErrnoRet?: number; readonly syscalls: readonly Rule[] };

/** Numbers of calls by name, for each machine: `AUDIT_ARCH_*` of linux/audit.h and the kernel's tables. */
export type CallNumbers = Readonly<Record<string, number>>;

const ARCHITECTURES = { x64: { name: "x86_64", audit: 0xc000_003e }, arm64: { name: "aarch64", audit: 0xc000_00b7 } } as const;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const KILL_PROCESS = 0x8000_0000;
const ERRNO = 0x0005_0000;
const ALLOW = 0x7fff_0000;
const EPERM = 1;
/** x32 calls carry this bit: the same numbers with other meanings. */
const X32_BIT = 0x4000_0000;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const MAX_INSTRUCTIONS = 4096;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter of a profile, sandbox/seccomp.json if none is given, for this machine, as bubblewrap's `--seccomp` takes it. Throws `sandbox-unavailable` for another machine. */
export function seccompFilter(architecture: string = process.arch, profile: Profile = shippedProfile()): Uint8Array {
  const known = ARCHITECTURES[architecture as keyof typeof ARCHITECTURES] as { name: string; audit: number } | undefined;
  if (known === undefined) throw new AgentError("sandbox-unavailable", `There is no seccomp filter for ${architecture}; x64 and arm64 are known.`);
  const numbers = (JSON.parse(readFileSync(sandboxFile("syscalls.json"), "utf8")) as Record<string, CallNumbers>)[known.name] ?? {};
  return assembleFilter(profile, numbers, known.audit);
}

const shippedProfile = (): Profile => JSON.parse(readFileSync(sandboxFile("seccomp.json"), "utf8")) as Profile;

/**
 * Assembles a profile in Docker's format. Of the calls' conditions `SCMP_CMP_EQ` and `SCMP_CMP_MASKED_EQ`
 * are known, of the actions allow and errno. A name without a number is none of this machine's calls.
 * Throws `broken-invariant` for anything else.
 */
export function assembleFilter(profile: Profile, numbers: CallNumbers, auditArchitecture: number): Uint8Array {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, auditArchitecture],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, X32_BIT],
    [RETURN, 0, 0, KILL_PROCESS],
  ];
  for (const rule of profile.syscalls) {
    if (rule.includes !== undefined || rule.excludes !== undefined) refuse("a rule with includes or excludes");
    for (const name of rule.names) {
      const number = numbers[name];
      if (number !== undefined) program.push(...assembleRule(rule, number));
    }
  }
  program.push([RETURN, 0, 0, actionOf(profile.defaultAction, profile.defaultErrnoRet)]);
  if (program.length > MAX_INSTRUCTIONS) refuse(`${String(program.length)} instructions`);
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value, true);
  }
  return bytes;
}

function assembleRule(rule: Rule, number: number): readonly Instruction[] {
  const verdict: Instruction = [RETURN, 0, 0, actionOf(rule.action, rule.errnoRet)];
  const conditions = rule.args ?? [];
  if (conditions.length === 0) return [[JUMP_EQUAL, 0, 1, number], verdict];
  // Each test is a load, perhaps a mask, and a jump that leaves for the end of the block when it fails.
  const tests = conditions.flatMap(testsOf);
  const body: Instruction[] = [];
  const length = tests.reduce((total, test) => total + test.length, 0) + 1;
  for (const test of tests) {
    for (const [code, value] of test) body.push(code === JUMP_EQUAL ? [code, 0, length - body.length - 1, value] : [code, 0, 0, value]);
  }
  // The accumulator holds an argument when a test failed: the number is loaded again for the rules that follow.
  return [[JUMP_EQUAL, 0, body.length + 1, number], ...body, verdict, [LOAD, 0, 0, NUMBER_AT]];
}

type Step = readonly [code: number, value: number];

/** Both halves of a 64-bit argument, little-endian. */
function testsOf(condition: Condition): readonly (readonly Step[])[] {
  const isMasked = condition.op === "SCMP_CMP_MASKED_EQ";
  if (!isMasked && condition.op !== "SCMP_CMP_EQ") refuse(`the comparison ${condition.op}`);
  const at = ARGUMENTS_AT + 8 * condition.index;
  const mask = BigInt(condition.value);
  const wanted = BigInt(isMasked ? (condition.valueTwo ?? 0) : condition.value);
  return [0, 1].map((half) => {
    const shift = BigInt(32 * half);
    const low = (value: bigint): number => Number((value >> shift) & 0xffff_ffffn);
    return [[LOAD, at + 4 * half] as const, ...(isMasked ? [[AND, low(mask)] as const] : []), [JUMP_EQUAL, low(wanted)] as const];
  });
}

function actionOf(action: string, errno: number | undefined): number {
  if (action === "SCMP_ACT_ALLOW") return ALLOW;
  if (action === "SCMP_ACT_ERRNO") return ERRNO | (errno ?? EPERM);
  return refuse(`the action ${action}`);
}

function refuse(what: string): never {
  throw new AgentError("broken-invariant", `The seccomp profile cannot be assembled: it has ${what}.`);
}
