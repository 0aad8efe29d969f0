import { lstatSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { AgentError } from "../../../../src/base/errors.ts";
import { cargoOf, requireCarriable } from "../../../../src/sandbox/workspace/transport/carriable.ts";
import { packCargo } from "../../../../src/sandbox/workspace/transport/cargo.ts";
import type { SandboxProfile } from "../../../../src/sandbox/runtime.ts";
import { SETTINGS } from "../../../contract/sandbox-fixture.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

const ENGINE = { address: "tcp://127.0.0.1:2375", because: "it does not show a file that was just made on this machine" };
const WORKSPACE = { path: "/srv/work", access: "read-write" as const };
const READ = { path: "/srv/docs", access: "read" as const };
const WRITTEN = { path: "/srv/out", access: "read-write" as const };

const said = (profile: Pick<SandboxProfile, "settings" | "roots">): string => {
  try {
    requireCarriable(profile, ENGINE);
    return "nothing";
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return `${error.code}: ${error.message}`;
  }
};

describe("an engine elsewhere", () => {
  test.each([
    ["a transactional workspace and roots that are read", { settings: SETTINGS, roots: [WORKSPACE, READ] }, /^nothing$/u],
    [
      "a bound workspace that is only read",
      { settings: { ...SETTINGS, workspace: "bind" as const }, roots: [{ ...WORKSPACE, access: "read" as const }] },
      /^nothing$/u,
    ],
    [
      "a bound workspace",
      { settings: { ...SETTINGS, workspace: "bind" as const }, roots: [WORKSPACE] },
      /^sandbox-unavailable: .*workspace: bind.*tcp:.*does not show/u,
    ],
    [
      "another root that is written to",
      { settings: SETTINGS, roots: [WORKSPACE, READ, WRITTEN] },
      /^sandbox-unavailable: The root \/srv\/out cannot be written to there/u,
    ],
    [
      "hosts",
      { settings: { ...SETTINGS, network: { ...SETTINGS.network, allow: ["example.org"] } }, roots: [WORKSPACE] },
      /^sandbox-unavailable: The hosts and registries of/u,
    ],
  ])("is asked for %s or refuses it in words", (_what, profile, expected) => {
    expect(said(profile)).toMatch(expected);
  });

  test("is sent the root's own file system, not what is mounted below it", () => {
    const paths = ["/etc", "/etc/passwd", "/proc", "/proc/version"];
    const entries = new Map(paths.map((path) => [path, lstatSync(path)]));
    const cargo = { name: "store", user: { uid: 1, gid: 1 }, uppers: [], hooks: null, isContinued: false, copies: new Map(), scans: [{ entries }] };
    const [root] = cargoOf({ settings: SETTINGS, roots: [{ path: "/", access: "read" }] }, cargo).roots;
    expect([...(root?.entries.keys() ?? [])].filter((path) => path.startsWith("/proc"))).toEqual(["/proc"]);
  });

  test("is sent what was measured of a file, not what it has become", async () => {
    const [live, measured] = [join(temporaryDirectory(), "a.pem"), join(temporaryDirectory(), "0")];
    writeFileSync(live, "what-it-is-by-now-7391, and longer");
    writeFileSync(measured, "what-was-measured-7391");
    const roots = [{ path: dirname(live), entries: new Map([[live, lstatSync(live)]]) }];
    const cargo = { name: "store", user: { uid: 1, gid: 1 }, uppers: [], hooks: null, isContinued: false, copies: new Map([[live, measured]]), roots };
    const parts: Buffer[] = [];
    for await (const part of packCargo(cargo)) parts.push(part);
    const archive = Buffer.concat(parts).toString("latin1");
    expect([archive.includes("what-was-measured-7391"), archive.includes("what-it-is-by-now-7391")]).toEqual([true, false]);
  });

  test("is not sent more than it is meant for", () => {
    const stats = { isFile: () => true, size: 3 * 1024 ** 3 };
    const entries = new Map([1, 2].map((number) => [`/srv/work/${String(number)}`, stats])) as never;
    const cargo = {
      name: "store",
      user: { uid: 1, gid: 1 },
      uppers: [],
      hooks: null,
      isContinued: false,
      copies: new Map(),
      roots: [{ path: "/srv/work", entries }],
    };
    expect(() => packCargo(cargo)).toThrow(expect.objectContaining({ code: "sandbox-unavailable", message: expect.stringContaining("holds 6.0 GiB") }));
  });
});
