import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BubblewrapPlan, bubblewrapArguments } from "../../../src/sandbox/bubblewrap/arguments.ts";
import type { SandboxProfile } from "../../../src/sandbox/runtime.ts";

const profile: SandboxProfile = {
  settings: {
    runtime: "bubblewrap",
    workspace: "transactional",
    env: [],
    network: { allow: [] },
    memoryBytes: 1_073_741_824,
    cpus: 1.5,
    processes: 256,
    commandTimeoutMs: 60_000,
    outputBytes: 1_048_576,
  },
  roots: [
    { path: "/srv/project", access: "read-write" },
    { path: "/srv/reference", access: "read" },
  ],
  forbidden: [],
  protected: [],
  env: {},
  home: "/home/somebody",
  ownPaths: [],
};

const plan: BubblewrapPlan = {
  user: { uid: 65532, gid: 65532 },
  mounts: [
    { kind: "scratch", target: "/tmp", maxBytes: 1024 },
    { kind: "bind", source: "/state/merged", target: "/srv/project", isReadOnly: false },
    { kind: "bind", source: "/srv/reference", target: "/srv/reference", isReadOnly: true },
  ],
  system: [
    { kind: "directory", path: "/usr" },
    { kind: "link", path: "/bin", target: "usr/bin" },
  ],
  files: [{ target: "/etc/passwd", source: "/state/etc-passwd" }],
  masked: [
    { kind: "file", path: "/proc/keys" },
    { kind: "directory", path: "/proc/acpi" },
  ],
  maskFile: "/state/proc-mask",
  supervisorPath: "/state/supervisor",
  seccompFd: 3,
  dataBytes: 1_073_741_824,
};

test("bubblewrap is told exactly this", () => {
  const golden = new URL("../../golden/sandbox/bubblewrap-arguments.json", import.meta.url);
  expect(bubblewrapArguments(profile, plan)).toEqual(JSON.parse(readFileSync(golden, "utf8")));
});
