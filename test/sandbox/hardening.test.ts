import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ContainerPlan, hostConfig } from "../../src/sandbox/hardening.ts";
import type { SandboxProfile } from "../../src/sandbox/runtime.ts";

const GOLDEN = new URL("../golden/sandbox/host-config.json", import.meta.url);

const profile: SandboxProfile = {
  settings: {
    runtime: "docker",
    workspace: "transactional",
    env: ["CI"],
    network: { allow: ["registry.example"] },
    memoryBytes: 1_073_741_824,
    cpus: 1.5,
    processes: 256,
    commandTimeoutMs: 60_000,
    outputBytes: 1_048_576,
  },
  roots: [
    { path: "/work/project", access: "read-write" },
    { path: "/srv/reference", access: "read" },
  ],
  forbidden: ["/work/project/**/.env"],
  protected: ["/work/project/**/.git/hooks/**"],
  env: { CI: "1" },
  home: "/home/somebody",
  ownPaths: ["/home/somebody/.local/state/warder"],
};

const plan: ContainerPlan = {
  imageId: `sha256:${"0".repeat(64)}`,
  supervisorPath: "/opt/warder/sandbox/build/warder-supervisor",
  seccomp: "{}",
  user: { uid: 65532, gid: 65532 },
  mounts: [
    { kind: "scratch", target: "/tmp", maxBytes: 1024 },
    { kind: "bind", source: "/state/merged", target: "/work/project", isReadOnly: false },
    { kind: "bind", source: "/srv/reference", target: "/srv/reference", isReadOnly: true },
  ],
  home: "/home/somebody",
  owner: "12:345",
  runId: "run-example",
};

describe("the container's options", () => {
  test("are exactly these", () => {
    expect(hostConfig(profile, plan)).toEqual(JSON.parse(readFileSync(GOLDEN, "utf8")));
  });

  test("do not change with the network list, which opens no network of the engine", () => {
    const closed = { ...profile, settings: { ...profile.settings, network: { allow: [] } } };
    expect(hostConfig(closed, plan)).toEqual(hostConfig(profile, plan));
  });

  test("hold no variable of the host and none of the profile's values", () => {
    expect(hostConfig({ ...profile, env: { TOKEN: "secret-value" } }, plan).Env).toEqual([]);
    expect(JSON.stringify(hostConfig({ ...profile, env: { TOKEN: "secret-value" } }, plan))).not.toContain("secret-value");
  });
});
