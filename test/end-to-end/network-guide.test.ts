import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listen, portOf } from "../sandbox/egress/local-servers.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace } from "../support/warder-cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** A console block of a guide: each command, and what a person then sees. */
function stepsOf(guide: string, heading: string): readonly { readonly command: string; readonly output: string }[] {
  const chapter = guide.slice(guide.indexOf(`\n${heading}\n`));
  const [, block = ""] = /```console\n([\s\S]*?)```/u.exec(chapter) ?? [];
  return block
    .split(/^\$ /mu)
    .slice(1)
    .map((step) => {
      const at = step.indexOf("\n");
      return { command: step.slice(0, at), output: step.slice(at + 1) };
    });
}

async function freePort(): Promise<string> {
  const server = createServer();
  await listen(server);
  const port = String(portOf(server));
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describeWithDocker("the walk in the guide to the network", () => {
  let place: ReturnType<typeof makePlace>;
  beforeEach(() => {
    place = makePlace();
  });
  afterEach(() => place.remove());

  test("shows what the guide says", async () => {
    const port = await freePort();
    const read = (path: string): string => readFileSync(join(ROOT, path), "utf8").replaceAll("8443", port);
    const steps = stepsOf(read("docs/guides/network.md"), "### A walk");
    expect(steps.length).toBeGreaterThanOrEqual(8);
    // The same commands on a port that is free.
    const example = join(place.root, "examples", "credentials");
    mkdirSync(example, { recursive: true });
    const files = ["policy.yaml", "server.mjs"];
    for (const file of files) writeFileSync(join(example, file), read(`examples/credentials/${file}`));
    const env = {
      ...process.env,
      HOME: place.home,
      WARDER_HOME: place.state,
      NO_COLOR: "1",
      PATH: `${ROOT}/bin:${ROOT}/.tools/bin:${process.env["PATH"] ?? ""}`,
    };
    const shell = spawn("bash", ["--norc", "--noprofile"], { cwd: place.root, env, detached: true });
    let seen = "";
    for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (seen += text));
    try {
      for (const { command, output } of steps) {
        seen = "";
        shell.stdin.write(`${command}\necho done\n`);
        const done = command.endsWith("&") ? [output, "done\n"].toSorted() : [`${output}done\n`];
        // The guide leaves the line out that each run begins with.
        const shown = (): string => seen.replaceAll(/^warder: policy .*boundary probed: \d+ of \d+ hold\n/gmu, "");
        await expect
          .poll(
            () =>
              command.endsWith("&")
                ? shown()
                    .split(/(?<=\n)/u)
                    .toSorted()
                : [shown()],
            { interval: 50 },
          )
          .toEqual(done.toSorted());
      }
    } finally {
      process.kill(-Number(shell.pid), "SIGKILL");
    }
  });
});
