import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { DockerClient } from "../../../../src/sandbox/docker/reach/client.ts";

test("the client of the engine loads neither gRPC nor a client of ssh, and says so to whoever asks it for one", async () => {
  const require = createRequire(import.meta.url);
  const client = require.resolve("dockerode");
  expect(require.cache[client]?.loaded).toBe(true);
  expect(Object.keys(require.cache).filter((file) => /\/node_modules\/(?:@grpc|protobufjs|ssh2)\//u.test(file))).toEqual([]);
  await expect(new DockerClient({ protocol: "ssh", host: "example.org", username: "a" }).ping()).rejects.toThrow(/Warder leaves out .*ssh\.js/u);
});
