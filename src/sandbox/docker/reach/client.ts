import type Docker from "dockerode";
import { createRequire, Module } from "node:module";
import { dirname, join } from "node:path";
import { AgentError } from "../../../base/errors.ts";

/**
 * The client's class, without two of its files that Warder never calls: BuildKit's sessions, which load gRPC, and a client of ssh (an engine is reached
 * through OpenSSH, ssh.ts). They are 150 modules, a quarter of what a start loads. In their place stands what refuses to be called.
 */
export const DockerClient = loadClient();

function loadClient(): typeof Docker {
  const load = createRequire(import.meta.url);
  const client = load.resolve("dockerode");
  leaveOut(load, join(dirname(client), "session.js"));
  leaveOut(load, join(dirname(createRequire(client).resolve("docker-modem")), "ssh.js"));
  return load(client) as typeof Docker;
}

function leaveOut(load: NodeJS.Require, file: string): void {
  const refusing = new Module(file);
  refusing.loaded = true;
  refusing.exports = () => {
    throw new AgentError("broken-invariant", `Warder leaves out ${file}.`);
  };
  load.cache[file] ??= refusing;
}
