import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { dockerHold } from "../../../src/sandbox/docker/pause.ts";
import { KERNEL } from "../../../src/sandbox/limits/cgroup-files.ts";
import { command, ENGINE } from "../../contract/docker-under-test.ts";
import { describeWithDocker } from "../../support/docker.ts";

const MEMORY = 100_000_000;

describeWithDocker("the parts of a container's limits", () => {
  test.each([
    ["as this machine shows it", true],
    ["as the engine says", false],
  ])("are none that is in use, %s; a part that grows always has room", async (_where, isShown) => {
    const empty = mkdtempSync(join(tmpdir(), "warder-test-"));
    const image = readFileSync(new URL("../../../sandbox/build/image-id", import.meta.url), "utf8").trim();
    const tmpfs = ["--tmpfs", "/tmp", "--entrypoint", "/bin/sh"];
    const id = command("run", "--detach", "--network=none", `--memory=${String(MEMORY)}`, ...tmpfs, image, "-c", "sleep 1000");
    const part = (): string => command("inspect", "--format", "{{.HostConfig.Memory}}", id);
    try {
      const container = openEngine(ENGINE).docker.getContainer(id);
      const kernel = isShown ? KERNEL : { root: empty, proc: empty };
      const hold = dockerHold(container, { expectSilence: () => undefined }, { memoryBytes: MEMORY, processes: 64, cpus: 1 }, kernel);
      command("exec", id, "sh", "-c", "head -c 60000000 /dev/zero > /tmp/full");
      expect([await hold.limit(0.5), part()]).toEqual([false, String(MEMORY)]);
      command("exec", id, "sh", "-c", "head -c 20000000 /dev/zero > /tmp/full");
      expect([await hold.limit(0.5), part()]).toEqual([true, String(MEMORY / 2)]);
      command("exec", id, "sh", "-c", "head -c 46000000 /dev/zero > /tmp/full");
      expect([await hold.limit(0.5625), part()]).toEqual([true, String(MEMORY * 0.5625)]);
    } finally {
      command("rm", "--force", id);
      rmSync(empty, { recursive: true });
    }
  });
});
