import { expect, test } from "vitest";
import { isRootless, placementOf } from "../../../src/sandbox/docker/elsewhere/placement.ts";
import { makeFixture, profileOf } from "../../contract/sandbox-fixture.ts";

test.each([
  [["name=seccomp,profile=default", "name=rootless"], true],
  [["name=rootless,x=y"], true],
  [["name=userns"], false],
  [["name=seccomp,profile=name=rootless"], false],
  [null, false],
])("an engine with the security options %j is rootless: %j", (options, expected) => {
  expect(isRootless({ SecurityOptions: options })).toBe(expected);
});

test("a rootless Docker Engine gets a copy from an ordinary user, and none from who is root or has Podman", async () => {
  const fixture = makeFixture();
  const wanted = { profile: profileOf(fixture), options: fixture };
  // What the engine's client answers; the test runs as whoever it is.
  const docker = { info: () => Promise.resolve({ SecurityOptions: ["name=rootless"], Name: "elsewhere", KernelVersion: "6.1" }) };
  const engine = (isPodman: boolean) => ({
    docker: docker as never,
    address: { name: `unix:///${fixture.runId}-${String(isPodman)}`, request: { socketPath: "/nonexistent" } } as never,
    isPodman: () => Promise.resolve(isPodman),
    findImage: () => Promise.reject(new Error("asked on")),
  });
  const own = process.getuid;
  try {
    process.getuid = () => 1000;
    expect(await placementOf(engine(false), wanted)).toMatchObject({ isHere: false, because: expect.stringContaining("rootless") });
    expect(await placementOf(engine(true), wanted)).toMatchObject({ isHere: true });
  } finally {
    if (own !== undefined) process.getuid = own;
    fixture.remove();
  }
});
