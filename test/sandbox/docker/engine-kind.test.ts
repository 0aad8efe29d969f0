import { expect, test } from "vitest";
import { dockerKind, holdsToLimits, podmanKind } from "../../../src/sandbox/docker/engine-kind.ts";

const podman = (rootless: boolean, cgroupControllers: readonly string[] | null) => podmanKind({ host: { cgroupControllers, security: { rootless } } }, false);

test("a Podman of root's counts for a whole container whatever it says of controllers", () => {
  expect(podman(false, null)).toEqual({ isPodman: true, isRootless: false, uncounted: [] });
  expect(podmanKind({}, true)).toEqual({ isPodman: true, isRootless: false, uncounted: [] });
});

test.each([
  [null, ["memory", "processes", "cpus"]],
  [[], ["memory", "processes", "cpus"]],
  [["memory", "pids"], ["cpus"]],
  [["cpuset", "cpu", "io", "memory", "pids"], []],
])("a rootless Podman with the controllers %j does not count %j", (controllers, uncounted) => {
  expect(podman(true, controllers)).toEqual({ isPodman: true, isRootless: true, uncounted });
});

test("a Docker Engine is taken at its word for what it counts, and counts where it says nothing", () => {
  expect(dockerKind({ MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true }).uncounted).toEqual([]);
  expect(dockerKind({})).toEqual({ isPodman: false, isRootless: false, uncounted: [] });
  expect(dockerKind({ MemoryLimit: false, PidsLimit: true, CpuCfsQuota: false }).uncounted).toEqual(["memory", "cpus"]);
});

test.each([
  [{}, true],
  [{ MemoryLimit: false, PidsLimit: false, CpuCfsQuota: false }, false],
  [{ MemoryLimit: true, PidsLimit: true, CpuCfsQuota: false }, false],
])("an engine that says %j holds a job beside commands: %j", (info, expected) => {
  expect(holdsToLimits(dockerKind(info))).toBe(expected);
});

test("root uses no Podman of an ordinary user's", () => {
  expect(() => podmanKind({ host: { security: { rootless: true } } }, true)).toThrow(
    /runs as an ordinary user, and Warder as root.*Run Warder as Podman's user/u,
  );
  expect(podmanKind({ host: { security: { rootless: false } } }, true)).toMatchObject({ isRootless: false });
});
