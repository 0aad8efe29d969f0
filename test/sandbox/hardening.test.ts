import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandEnvironment } from "../../src/sandbox/command-environment.ts";
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
    { path: "/srv/project", access: "read-write" },
    { path: "/srv/reference", access: "read" },
  ],
  forbidden: ["/srv/project/**/.env"],
  protected: ["/srv/project/**/.git/hooks/**"],
  env: { CI: "1" },
  home: "/home/somebody",
  ownPaths: ["/home/somebody/.local/state/warder"],
};

const plan: ContainerPlan = {
  imageId: `sha256:${"0".repeat(64)}`,
  supervisorPath: "/opt/warder/sandbox/build/warder-supervisor",
  hostsPath: "/opt/warder/sandbox/hosts",
  seccomp: "{}",
  user: { uid: 65532, gid: 65532 },
  mounts: [
    { kind: "scratch", target: "/tmp", maxBytes: 1024 },
    { kind: "bind", source: "/state/merged", target: "/srv/project", isReadOnly: false },
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

  test("mount an overlay of the engine by its name, with nothing of the image in it", () => {
    const overlay = {
      kind: "overlay",
      name: "overlay-example",
      target: "/srv/project",
      lowers: ["/state/mask", "/srv/project"],
      upper: "/u",
      work: "/k",
    } as const;
    const { HostConfig: host, ...rest } = hostConfig(profile, {
      ...plan,
      mounts: plan.mounts.map((mount) => (mount.target === "/srv/project" ? overlay : mount)),
    });
    const { HostConfig: usual, ...same } = hostConfig(profile, plan);
    expect(host?.Mounts?.filter(({ Target: target }) => target === "/srv/project")).toEqual([
      { Type: "volume", Source: "overlay-example", Target: "/srv/project", ReadOnly: false, VolumeOptions: { NoCopy: true } },
    ]);
    expect([{ ...host, Mounts: [] }, rest]).toEqual([{ ...usual, Mounts: [] }, same]);
  });

  test("leave one user as it is in the namespace that a rootless Podman makes, and set no limit that only its root may raise", () => {
    const podman = hostConfig(profile, { ...plan, isPodman: true });
    const { HostConfig: host, ...rest } = hostConfig(profile, { ...plan, isPodman: true, isRootless: true });
    const { HostConfig: usual, ...same } = podman;
    expect(host?.UsernsMode).toBe("keep-id:uid=65532,gid=65532");
    expect(usual?.UsernsMode).toBeUndefined();
    expect([{ ...host, UsernsMode: undefined, Ulimits: [] }, rest]).toEqual([{ ...usual, UsernsMode: undefined, Ulimits: [] }, same]);
    expect(usual?.Ulimits?.filter((limit) => !host?.Ulimits?.some(({ Name: name }) => name === limit.Name)).map(({ Name: name }) => name)).toEqual(["nproc"]);
  });

  test("have the supervisor hold each process to what the engine counts for none of them", () => {
    const told = (uncounted: ContainerPlan["uncounted"]) => hostConfig(profile, { ...plan, ...(uncounted === undefined ? {} : { uncounted }) }).Cmd;
    const limits = (uncounted: ContainerPlan["uncounted"]) => told(uncounted)?.filter((argument) => /^--(?:data|nproc)=/u.test(argument));
    expect(limits(["memory", "processes", "cpus"])).toEqual(["--data=1073741824", "--nproc=256"]);
    expect(limits(["cpus"])).toEqual([]);
    expect(told([])).toEqual(told(undefined));
  });

  test("do not change with the network list, which opens no network of the engine", () => {
    const closed = { ...profile, settings: { ...profile.settings, network: { allow: [] } } };
    expect(hostConfig(closed, plan)).toEqual(hostConfig(profile, plan));
  });

  test("show the folder of the egress proxy's socket read-only where there is one, and open no network of the engine for it", () => {
    const { HostConfig: host, Cmd: argv } = hostConfig(profile, { ...plan, egressDirectory: "/state/egress" });
    expect(host?.NetworkMode).toBe("none");
    expect(host?.Mounts).toContainEqual(expect.objectContaining({ Source: "/state/egress", Target: "/.warder/egress", ReadOnly: true }));
    expect(argv).toContain("--proxy=/.warder/egress/proxy.sock");
  });

  test("hold no variable of the host and none of the profile's values", () => {
    expect(hostConfig({ ...profile, env: { TOKEN: "secret-value" } }, plan).Env).toEqual([]);
    expect(JSON.stringify(hostConfig({ ...profile, env: { TOKEN: "secret-value" } }, plan))).not.toContain("secret-value");
  });
});

describe("a command's environment", () => {
  const proxied = (allow: readonly string[]): Readonly<Record<string, string>> =>
    commandEnvironment({ ...profile, settings: { ...profile.settings, network: { allow } } }, "/home/somebody");

  test("keeps a look at a project from leaving something in it", () => {
    expect(proxied([])["RUFF_NO_CACHE"]).toBe("true");
  });

  test("keeps what a signature says of itself from standing among what git log shows, and a directory from being a repository unasked", () => {
    const { GIT_CONFIG_COUNT: count, ...given } = proxied([]);
    const settings = Array.from({ length: Number(count) }, (_, at) => `${given[`GIT_CONFIG_KEY_${String(at)}`]}=${given[`GIT_CONFIG_VALUE_${String(at)}`]}`);
    expect(settings.slice(0, 2)).toEqual(["safe.bareRepository=explicit", "log.showSignature=false"]);
  });

  test("lets git commit without a signature where the repository wants one", () => {
    const given = proxied([]);
    const settings = Object.keys(given).flatMap((name) => (name.startsWith("GIT_CONFIG_KEY_") ? `${given[name]}=${given[name.replace("KEY", "VALUE")]}` : []));
    expect(settings.slice(2)).toEqual(["commit.gpgSign=false", "tag.gpgSign=false", "tag.forceSignAnnotated=false"]);
  });

  test("lets package managers try no network where there is none", () => {
    expect(proxied([])).toMatchObject({ npm_config_offline: "true", CARGO_NET_OFFLINE: "true", GOPROXY: "off", npm_config_update_notifier: "false" });
    expect(Object.keys(proxied(["a.example.org"])).filter((name) => /offline|GOPROXY/iu.test(name))).toEqual([]);
    expect(proxied(["a.example.org"])["npm_config_update_notifier"]).toBe("false");
  });

  test("speaks of the proxy only where the policy allows hosts", () => {
    expect(Object.keys(proxied([])).filter((name) => /_proxy$/iu.test(name))).toEqual([]);
    expect(proxied(["a.example.org"])).toMatchObject({ HTTPS_PROXY: "http://127.0.0.1:3128", https_proxy: "http://127.0.0.1:3128", NODE_USE_ENV_PROXY: "1" });
  });

  test("sends programs to the sandbox's own loopback, unless the policy lists the host's", () => {
    expect(proxied(["a.example.org"])["NO_PROXY"]).toBe("localhost,127.0.0.1,::1");
    expect(proxied(["127.0.0.1:8080"])["NO_PROXY"]).toBe("localhost,::1");
  });
});

test("an engine that has not this machine's files writes the names of a container that has no network, and tells nothing of its own name servers", () => {
  const options = hostConfig(profile, { ...plan, hostsPath: null });
  expect(options).toMatchObject({ NetworkDisabled: false, HostConfig: { NetworkMode: "none", Dns: ["127.0.0.1"], DnsSearch: ["."] } });
  expect(options.HostConfig?.Mounts?.map(({ Target }) => Target)).not.toContain("/etc/hosts");
});
