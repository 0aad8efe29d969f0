import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { engineOverlays, mountFault, reapOverlays } from "../../../src/sandbox/docker/overlay-volume.ts";
import type { OverlayMount } from "../../../src/sandbox/mounts.ts";
import { command, docker, ENGINE } from "../../contract/docker-under-test.ts";
import { makeFixture, profileOf, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { deadOwner } from "../../support/dead-owner.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { diskFolder, removeFolder } from "../../support/run-folder.ts";

let fixture: SandboxFixture;
let folder: string;
let overlay: OverlayMount;
beforeEach(() => {
  fixture = makeFixture();
  // Each of these means something to Docker or to the kernel.
  folder = join(mkdtempSync(join(diskFolder(), "warder-test-")), "a,b:c\\d,ro");
  for (const name of ["lower", "upper", "work"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "lower/seen"), "lower\n");
  overlay = {
    kind: "overlay",
    name: `overlay-${fixture.runId}`,
    target: "/w",
    lowers: [join(folder, "lower")],
    upper: join(folder, "upper"),
    work: join(folder, "work"),
  };
});
afterEach(() => {
  removeFolder(join(folder, ".."));
  fixture.remove();
});

const image = (): string => readFileSync(new URL("../../../sandbox/build/image-id", import.meta.url), "utf8").trim();
const overlays = () => engineOverlays({ engine: openEngine(ENGINE), profile: profileOf(fixture), options: { ...fixture } });
const inside = (script: string, ...flags: readonly string[]): string => {
  const limits = ["--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];
  return command("run", "--rm", ...limits, ...flags, "--mount", `type=volume,src=${overlay.name},dst=/w,volume-nocopy`, image(), "sh", "-c", script);
};

test.each([
  [{ SecurityOptions: ["name=seccomp,profile=default"], KernelVersion: "6.18.44-fc" }, null],
  [{ SecurityOptions: null, KernelVersion: "5.11.0" }, null],
  [{ SecurityOptions: ["name=seccomp", "name=rootless"], KernelVersion: "6.1" }, /maps users \(rootless\)/u],
  [{ SecurityOptions: ["name=userns"], KernelVersion: "6.1" }, /maps users \(userns\)/u],
  [{ SecurityOptions: [], KernelVersion: "5.10.0-28-amd64" }, /Linux 5\.10\.0-28-amd64/u],
  [{}, /older than 5\.11/u],
])("whether an engine that says %j can mount one", (info, fault) => {
  expect(mountFault(info) ?? "nothing").toMatch(fault ?? /^nothing$/u);
});

describeWithDocker("an overlay as a volume of the engine", () => {
  test("is mounted over any path, once for all its sandboxes, and leaves only what was written", async () => {
    const held = await overlays().hold(overlay);
    try {
      expect(inside("cat /w/seen; echo upper > /w/new; rm /w/seen")).toBe("lower");
      expect(inside("ls /w")).toBe("new");
    } finally {
      await held.release();
      await held.release();
    }
    expect([readFileSync(join(folder, "upper/new"), "utf8"), readFileSync(join(folder, "lower/seen"), "utf8")]).toEqual(["upper\n", "lower\n"]);
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    // The kernel's own directory is root's, and nobody else could remove it.
    expect(() => readFileSync(join(folder, "work/work"))).toThrow(/ENOENT/u);
  });

  test("of a dead session is ended before the run goes on", async () => {
    await overlays().hold(overlay);
    inside("sleep 1000", "--detach", `--label=warder.run=${fixture.runId}`);
    await overlays().clear();
    expect(docker.leftovers(fixture.runId)).toEqual([]);
  });

  test("is reaped when its owner is dead, and not before", async () => {
    const held = await overlays().hold(overlay);
    await reapOverlays(openEngine(ENGINE));
    expect(docker.leftovers(fixture.runId)).toEqual([overlay.name]);
    await held.release();
    const labels = [`--label=warder.owner=${deadOwner()}`, `--label=warder.run=${fixture.runId}`];
    command("volume", "create", ...labels, overlay.name);
    await reapOverlays(openEngine(ENGINE));
    expect(docker.leftovers(fixture.runId)).toEqual([]);
  });
});
