import { describe, expect, test } from "vitest";
import { assembleFilter, seccompFilter } from "../../../src/sandbox/bubblewrap/seccomp.ts";

const ARCHITECTURE = 0xc000_003e;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const errno = (number: number): number => 0x0005_0000 | number;

/** Runs a filter as the kernel does: classic BPF over struct seccomp_data, little-endian (seccomp(2)). */
function verdict(filter: Uint8Array, call: { number: number; architecture?: number; args?: readonly bigint[] }): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture ?? ARCHITECTURE, true);
  for (const [index, value] of (call.args ?? []).entries()) data.setBigUint64(16 + 8 * index, value, true);
  const program = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  let accumulator = 0;
  for (let at = 0; at < filter.byteLength; at += 8) {
    const code = program.getUint16(at, true);
    const value = program.getUint32(at + 4, true);
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x06) return value;
    else if (code === 0x15 || code === 0x35) at += 8 * program.getUint8(at + ((code === 0x15 ? accumulator === value : accumulator >= value) ? 2 : 3));
    else throw new Error(`code ${String(code)}`);
  }
  throw new Error("fell off the end");
}

describe("a profile as a filter of the kernel", () => {
  const filter = assembleFilter(
    {
      defaultAction: "SCMP_ACT_ERRNO",
      defaultErrnoRet: 1,
      syscalls: [
        { names: ["read", "unheard-of"], action: "SCMP_ACT_ALLOW" },
        {
          names: ["socket"],
          action: "SCMP_ACT_ALLOW",
          args: [
            { index: 0, value: 16, op: "SCMP_CMP_EQ" },
            { index: 2, value: 0, op: "SCMP_CMP_EQ" },
          ],
        },
        { names: ["socket"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 1, op: "SCMP_CMP_EQ" }] },
        { names: ["clone"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 0x7e02_0000, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }] },
        { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: 38 },
        { names: ["write"], action: "SCMP_ACT_ALLOW" },
      ],
    },
    { read: 0, write: 1, socket: 41, clone: 56, clone3: 435 },
    ARCHITECTURE,
  );

  test.each<[string, { number: number; architecture?: number; args?: readonly bigint[] }, number]>([
    ["allows what is named", { number: 0 }, ALLOW],
    ["allows what is named after conditions", { number: 1 }, ALLOW],
    ["refuses what is not named", { number: 2 }, errno(1)],
    ["answers with the rule's own error", { number: 435 }, errno(38)],
    ["allows when all conditions hold", { number: 41, args: [16n, 3n, 0n] }, ALLOW],
    ["allows by any rule of a call", { number: 41, args: [1n, 1n, 5n] }, ALLOW],
    ["refuses when one condition fails", { number: 41, args: [16n, 3n, 9n] }, errno(1)],
    ["compares the upper half too", { number: 41, args: [(1n << 32n) | 1n] }, errno(1)],
    ["allows flags outside the mask", { number: 56, args: [0x0120_0011n] }, ALLOW],
    ["refuses flags inside the mask", { number: 56, args: [0x1000_0000n] }, errno(1)],
    ["kills the calls of another machine", { number: 0, architecture: 0x4000_0003 }, KILL],
    ["kills the x32 entry", { number: 0x4000_0000 }, KILL],
  ])("%s", (_name, call, expected) => expect(verdict(filter, call)).toBe(expected));

  test("refuses a profile that it does not understand", () => {
    const rule = { names: ["read"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: 1, op: "SCMP_CMP_GT" }] };
    expect(() => assembleFilter({ defaultAction: "SCMP_ACT_ERRNO", syscalls: [rule] }, { read: 0 }, ARCHITECTURE)).toThrow(/SCMP_CMP_GT/);
    expect(() => assembleFilter({ defaultAction: "SCMP_ACT_LOG", syscalls: [] }, {}, ARCHITECTURE)).toThrow(/SCMP_ACT_LOG/);
  });

  test("assembles the shipped profile for each machine and refuses others", () => {
    const shipped = seccompFilter("x64");
    expect(verdict(shipped, { number: 0 })).toBe(ALLOW);
    expect(verdict(shipped, { number: 101 })).toBe(errno(1)); // ptrace
    expect(verdict(shipped, { number: 41, args: [40n] })).toBe(errno(1)); // AF_VSOCK
    expect(verdict(shipped, { number: 41, args: [1n] })).toBe(ALLOW); // AF_UNIX
    expect(verdict(seccompFilter("arm64"), { number: 63, architecture: 0xc000_00b7 })).toBe(ALLOW); // read
    expect(() => seccompFilter("riscv64")).toThrow(/riscv64/);
  });
});
