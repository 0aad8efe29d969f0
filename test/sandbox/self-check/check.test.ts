import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import { insideProperties, type InsideSetting } from "../../../src/sandbox/self-check/inside-view.ts";
import { compareContainer, engineProperties } from "../../../src/sandbox/docker/engine-view.ts";
import type { Property } from "../../../src/sandbox/runtime.ts";
import { makeFixture, profileOf, ORDINARY_UID } from "../../contract/sandbox-fixture.ts";
import { mountsBelow } from "../../contract/runtime.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { makePlace, warder } from "../../support/warder-cli.ts";

const unmet = (properties: readonly Property[]): readonly string[] => properties.filter(({ isMet }) => isMet === false).map(({ what }) => what);

describe("what an engine reports", () => {
  type Options = { Image: string; HostConfig: Record<string, unknown> };
  const golden = JSON.parse(readFileSync(new URL("../../golden/sandbox/host-config.json", import.meta.url), "utf8")) as Options;
  const found = (changes: Record<string, unknown>): Options => ({ ...golden, HostConfig: { ...golden.HostConfig, ...changes } });

  test("is as it was told, in another order and with the engine's own spellings", () => {
    const same = found({ CapAdd: ["CAP_KILL", "CAP_SETGID", "CAP_SETUID"], RestartPolicy: { Name: "no", MaximumRetryCount: 0 }, Binds: null, Devices: null });
    expect(unmet(compareContainer(same, golden as never))).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["NetworkMode", { NetworkMode: "bridge" }],
    ["ReadonlyRootfs", { ReadonlyRootfs: false }],
    ["Privileged", { Privileged: true }],
    ["CapAdd", { CapAdd: ["SETUID", "SETGID", "KILL", "SYS_ADMIN"] }],
    ["CapDrop", { CapDrop: null }],
    ["SecurityOpt", { SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] }],
    ["SecurityOpt", { SecurityOpt: ["seccomp={}"] }],
    ["PidsLimit", { PidsLimit: null }],
    ["Memory", { Memory: 0 }],
    ["MaskedPaths", { MaskedPaths: [] }],
    ["Devices", { Devices: [{ PathOnHost: "/dev/kmsg" }] }],
    ["Binds", { Binds: ["/:/host"] }],
    ["PidMode", { PidMode: "host" }],
    ["Tmpfs", { Tmpfs: { "/tmp": "rw,exec,size=1024" } }],
  ])("is not as it was told: %s", (what, changes) => {
    expect(unmet(compareContainer(found(changes), golden as never))).toEqual([what]);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ["a profile, where the host has AppArmor", "docker-default", ["name=apparmor", "name=seccomp"], []],
    ["no profile", "", ["name=apparmor"], ["AppArmor"]],
    ["none that confines", "unconfined", ["name=apparmor"], ["AppArmor"]],
    ["none, where the host has no AppArmor", "", ["name=seccomp"], []],
  ])("is held to AppArmor: %s", (_name, profile, security, expected) => {
    expect(unmet(engineProperties({ AppArmorProfile: profile }, security))).toEqual(expected);
  });

  test("is not as it was told: the engine's runtime", () => {
    const told = { ...golden, HostConfig: { ...golden.HostConfig, Runtime: "runsc" } };
    expect(unmet(compareContainer(found({ Runtime: "runc" }), told as never))).toEqual(["Runtime"]);
    expect(unmet(compareContainer(found({ Runtime: "runsc" }), told as never))).toEqual([]);
  });

  test("is only said of limits that it cannot hold a container to", () => {
    const without = found({ Memory: 0, MemorySwap: 0, PidsLimit: 0, NanoCpus: 0 });
    expect(unmet(compareContainer(without, golden as never))).toEqual(["PidsLimit", "Memory", "MemorySwap", "NanoCpus"]);
    expect(unmet(compareContainer(without, golden as never, ["memory", "cpus"]))).toEqual(["PidsLimit"]);
    const said = compareContainer(without, golden as never, ["memory", "processes", "cpus"]).filter(({ isMet }) => isMet === null);
    expect(said.map(({ what }) => what)).toEqual(["PidsLimit", "Memory", "MemorySwap", "NanoCpus"]);
  });

  test("is not as it was told: the image", () => {
    expect(unmet(compareContainer({ ...golden, Image: "sha256:other" }, golden as never))).toEqual(["image"]);
  });
});

describe("what the kernel tells a command", () => {
  const profile = profileOf(makeNames());
  const view = readFileSync(new URL("../../golden/sandbox/inside-view.txt", import.meta.url), "utf8");
  const kernelPaths = ["/proc/acpi", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/keys", "/proc/sys", "/proc/timer_list", "/sys/firmware"];
  const mounts = [
    ...["/tmp", "/home/somebody"].map((target) => ({ kind: "scratch" as const, target, maxBytes: 1 })),
    { kind: "bind" as const, source: "/merged", target: "/srv/project", isReadOnly: false },
  ];
  const setting: InsideSetting = {
    runtime: "docker",
    profile,
    user: { uid: 1000, gid: 1000 },
    mounts,
    mount: "overlay-by-guardian",
    clearsGroups: true,
    uncounted: [],
  };
  const judge = (text: string, changes: Partial<InsideSetting> = {}, visible: readonly string[] = []): readonly string[] =>
    unmet(insideProperties({ view: text, kernelPaths, visible }, { ...setting, ...changes }));

  test("is as it should be", () => {
    expect(judge(view)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["user", "Uid:\t1000\t1000", "Uid:\t0\t1000"],
    ["further groups", "Groups:\t ", "Groups:\t999 "],
    ["CapEff", "CapEff:\t0000000000000000", "CapEff:\t0000000000000001"],
    ["CapBnd", "CapBnd:\t00000000000000e0", "CapBnd:\t00000000002000e0"],
    ["NoNewPrivs", "NoNewPrivs:\t1", "NoNewPrivs:\t0"],
    ["Seccomp", "Seccomp:\t2", "Seccomp:\t0"],
    ["open files", "4096                 4096", "4096                 8192"],
    ["core dumps", "Max core file size        0                    0", "Max core file size        0                    unlimited"],
    ["interfaces", "    lo:", "  eth0:       0\n    lo:"],
    ["routes", "IRTT\n", "IRTT\neth0\t00000000\t0100A8C0\n"],
    ["root file system", "/ / ro,relatime", "/ / rw,relatime"],
    ["mounts of the host", "== interfaces", "99 1 8:1 /home /home rw,nosuid,nodev - ext4 /dev/sda1 rw\n== interfaces"],
    ["writable mounts", "/tmp rw,nosuid,nodev,relatime", "/tmp rw,nodev,relatime"],
    ["writable mounts", "/srv/project rw,nosuid,nodev,relatime", "/srv/project rw,nosuid,relatime"],
    ["memory", "268435456", "max"],
    ["masked and read-only paths", "/proc/sys ro,", "/proc/sys rw,"],
    ["masked and read-only paths", " /proc/keys rw,", " /proc/keyz rw,"],
    ["PID 1", "/.warder/supervisor\0", "/bin/sh\0"],
    ["writing to /", "write-root 30", "write-root 13"],
    ["writing to /", "write-root 30", "write-root 0"],
    ["reaching an address outside", "route-ipv4 101", "route-ipv4 0"],
    ["reaching an IPv6 address outside", "route-ipv6 101", "route-ipv6 0"],
    ["becoming root", "become-root 1", "become-root 0"],
    ["making a user namespace", "user-namespace 1", "user-namespace 0"],
    ["tracing a process", "trace 1", "trace 0"],
    ["a socket to the hypervisor", "vsock 1", "vsock 0"],
    ["io_uring", "io-uring 38", "io-uring 14"],
  ])("is not as it should be: %s", (what, search, replace) => {
    expect(view).toContain(search);
    expect(judge(view.replace(search, replace))).toEqual([what]);
  });

  test("is not as it should be where a mount is missing", () => {
    const elsewhere = view.replace(" /tmp rw,nosuid,nodev,relatime - tmpfs", " /dev/else rw,nosuid,nodev,relatime - tmpfs");
    expect(elsewhere).not.toBe(view);
    expect(judge(elsewhere)).toEqual(["planned mounts", "writable mounts"]);
  });

  test("is not as it should be where a path can be seen that must not be", () => {
    expect(judge(view, {}, ["/srv/state"])).toEqual(["Warder's state, engines and forbidden paths"]);
  });

  test("is not as it should be where what is to be masked can be written", () => {
    const guarded = { kind: "bind" as const, source: "/merged/policies", target: "/srv/project", isReadOnly: true };
    expect(judge(view, { mounts: [...mounts, guarded] })).toEqual(["planned mounts"]);
  });

  test("is the host's own where the policy binds the workspace, whatever options it is mounted with there", () => {
    const bound = view.replace("/srv/project rw,nosuid,nodev,relatime", "/srv/project rw,relatime");
    expect(judge(bound, { mount: "bind" })).toEqual([]);
    expect(judge(bound)).toEqual(["writable mounts"]);
  });

  test("is what gVisor leaves unsaid, and no more, where the policy wants gVisor", () => {
    const gvisors = profileOf(makeNames(), { settings: { engineRuntime: "runsc" } });
    const silent = view.replace(/^(?:NoNewPrivs|Seccomp|CapAmb):.*\n/gmu, "").replace("268435456", "none");
    const found = { view: silent.replace("Uid:\t1000", "Uid:\t0"), kernelPaths, visible: [] };
    const properties = insideProperties(found, { ...setting, profile: gvisors });
    expect(unmet(properties)).toEqual(["user"]);
    expect(properties.filter(({ isMet }) => isMet === null).map(({ what }) => what)).toEqual(["CapAmb", "NoNewPrivs", "Seccomp", "memory"]);
    expect(judge(silent)).toEqual(["CapAmb", "NoNewPrivs", "Seccomp", "memory"]);
  });

  test("is that each process is held to the limits, where no control group counts for all of them", () => {
    const limits =
      "Max data size             268435456            268435456            bytes\nMax processes             64                   64                   processes";
    const held = view.replace(/^Max (?:data size|processes) .*\n/gmu, "").replace("== limits\n", `== limits\n${limits}\n`);
    const { memoryBytes, processes } = profile.settings;
    expect([memoryBytes, processes]).toEqual([268435456, 64]);
    expect(judge(held, { uncounted: ["memory", "processes", "cpus"] })).toEqual([]);
    expect(judge(view, { uncounted: ["memory", "processes", "cpus"] })).toEqual(["memory of a process", "processes of the user"]);
    expect(judge(held.replace("== memory\n268435456", "== memory\nmax"), { uncounted: ["processes"] })).toEqual(["memory"]);
  });

  test("is nothing that counts when it says nothing", () => {
    const silent = insideProperties({ view: "", kernelPaths, visible: [] }, setting);
    expect(silent.filter(({ isMet }) => isMet !== false).map(({ what }) => what)).toEqual(["Warder's state, engines and forbidden paths"]);
  });
});

function makeNames(): Parameters<typeof profileOf>[0] {
  return { folder: "/srv", workspace: "/srv/project", state: "/srv/state", runDirectory: "/srv/state/runs/r", runId: "r", remove: () => undefined };
}

describeWithDocker("a running sandbox", () => {
  test("is as it should be, and is gone afterwards", async () => {
    const fixture = makeFixture({ "a.txt": "a" }, ORDINARY_UID);
    try {
      const { properties, mount } = await dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }).inspect(profileOf(fixture), {
        runId: fixture.runId,
        runDirectory: fixture.runDirectory,
      });
      expect(unmet(properties)).toEqual([]);
      expect(properties.length).toBeGreaterThan(60);
      expect(mount).toBe(process.getuid?.() === 0 ? "overlay-by-guardian" : "overlay-by-engine");
      expect(properties.find(({ what }) => what === "user namespaces")).toMatchObject({ isMet: null, found: expect.stringMatching(/^(?:yes|no): /u) });
      expect(mountsBelow(fixture.folder)).toEqual([]);
    } finally {
      fixture.remove();
    }
  });

  test("is what warder doctor looks at, and the exit code says how it was", async () => {
    const place = makePlace();
    try {
      const end = await warder(place, ["doctor", "--json"]);
      expect(JSON.parse(end.stdout)).toMatchObject({ isReady: true, sandbox: { policy: "unattended", runtime: "docker", failure: null } });
      expect(end.exitCode).toBe(0);
      const broken = await warder(place, ["doctor"], { environment: { DOCKER_HOST: "unix:///nonexistent/docker.sock" } });
      expect(broken.stdout).toMatch(/✗ docker sandbox +Docker Engine does not answer[\s\S]*✗ sandbox of unattended +not opened/u);
      expect(broken.exitCode).toBe(6);
    } finally {
      place.remove();
    }
  });
});
