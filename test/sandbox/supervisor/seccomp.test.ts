import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxDirectory } from "./process.ts";

type Rule = { names: string[]; action: string; errnoRet?: number; args?: { index: number; value: number; valueTwo?: number; op: string }[] };
type Profile = { defaultAction: string; archMap: { architecture: string; subArchitectures: string[] }[]; syscalls: Rule[] };

const profile = JSON.parse(readFileSync(join(sandboxDirectory, "seccomp.json"), "utf8")) as Profile;
const described = readFileSync(join(sandboxDirectory, "SECCOMP.md"), "utf8");
const allowed = new Set(profile.syscalls.filter((rule) => rule.action === "SCMP_ACT_ALLOW" && rule.args === undefined).flatMap((rule) => rule.names));
const conditional = new Set(profile.syscalls.filter((rule) => rule.args !== undefined).flatMap((rule) => rule.names));

// Frozen here, not read from the description: what must never be allowed, with or without a condition.
const DENIED = `io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev pidfd_getfd memfd_secret modify_ldt keyctl add_key
  request_key userfaultfd bpf perf_event_open shmget shmat shmctl semget semop semtimedop msgget msgsnd open_by_handle_at name_to_handle_at mount umount2 mount_setattr move_mount open_tree
  fsopen fsconfig fsmount fspick unshare setns chroot pivot_root clone3 init_module finit_module kexec_load reboot swapon iopl ioperm syslog acct`.split(
  /\s+/u,
);

describe("the seccomp profile", () => {
  it("refuses what it does not name, on the two native architectures without their 32-bit entries", () => {
    expect(profile.defaultAction).toBe("SCMP_ACT_ERRNO");
    expect(profile.archMap).toEqual([
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: [] },
      { architecture: "SCMP_ARCH_AARCH64", subArchitectures: [] },
    ]);
    expect(new Set(profile.syscalls.map((rule) => rule.action))).toEqual(new Set(["SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"]));
  });

  it.each(DENIED)("allows no %s", (name) => {
    expect(allowed.has(name) || conditional.has(name)).toBe(false);
  });

  it("allows no call with a condition and without one, or the condition would mean nothing", () => {
    expect([...conditional].filter((name) => allowed.has(name))).toEqual([]);
  });

  it("opens sockets of four families only, netlink for routes alone", () => {
    const rules = profile.syscalls
      .filter((rule) => rule.names.includes("socket"))
      .map((rule) => (rule.args ?? []).map(({ index, value, op }) => `${index} ${op} ${value}`).join(", "));
    expect(rules).toEqual(["0 SCMP_CMP_EQ 1", "0 SCMP_CMP_EQ 2", "0 SCMP_CMP_EQ 10", "0 SCMP_CMP_EQ 16, 2 SCMP_CMP_EQ 0"]);
  });

  it("makes processes without any namespace flag, and limits of the caller only", () => {
    const rule = (name: string) => profile.syscalls.filter((item) => item.names.includes(name)).map((item) => item.args);
    expect(rule("clone")).toEqual([[{ index: 0, value: 0x7e02_0000, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }]]);
    expect(rule("prlimit64")).toEqual([[{ index: 0, value: 0, op: "SCMP_CMP_EQ" }]]);
  });

  it("says why of every call of the kernel's table that it does not allow", ({ skip }) => {
    const table = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h";
    if (!existsSync(table)) skip();
    const names = [...readFileSync(table, "utf8").matchAll(/^#define __NR_(\w+)/gmu)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !allowed.has(name) && !conditional.has(name) && !described.includes(`\`${name}\``))).toEqual([]);
  });
});
