import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { OverlayMount } from "../../../../src/sandbox/mounts.ts";
import { sandboxFile } from "../../../../src/sandbox/shipped-files.ts";
import { lockRecord } from "../../../../src/sandbox/workspace/mounts/run-lock.ts";
import { endNamespace, holdOverlays, namespaceRemedy, removeKernelWork, requireOwnGroup } from "../../../../src/sandbox/workspace/mounts/user-namespace.ts";
import { planMaskedOverlay } from "../../../../src/sandbox/workspace/masked-overlay.ts";
import { readRecord, workspacePaths, writeRecord } from "../../../../src/sandbox/workspace/record.ts";
import { makeDirectories } from "../../../../src/sandbox/workspace/mounts/directories.ts";
import { scanRoots } from "../../../../src/sandbox/workspace/scan/all-roots.ts";
import { treesIn } from "../../../../src/sandbox/workspace/trees.ts";
import { makeFixture, profileOf, type SandboxFixture } from "../../../contract/sandbox-fixture.ts";
import { engineWorkspace } from "../../../support/engine-overlay.ts";
import { ORDINARY_USER } from "../../../support/ordinary-user.ts";
import { runsRootTests } from "../../../support/root.ts";
import { once } from "../../../support/until.ts";

let fixture: SandboxFixture | null = null;
afterEach(() => {
  fixture?.remove();
  fixture = null;
});

type Planned = {
  readonly overlay: OverlayMount;
  readonly view: string;
  readonly runId: string;
  readonly workspace: string;
  readonly hold: () => ReturnType<typeof holdOverlays>;
};

async function planned(): Promise<Planned> {
  const made = makeFixture({ "a.txt": "alpha\n", ".env": "secret\n", "deep/.env": "secret\n" });
  fixture = made;
  const { runDirectory, runId, workspace } = made;
  const paths = workspacePaths(runDirectory);
  makeDirectories(paths, false);
  const [scan] = scanRoots(profileOf(made), "changed");
  const [tree] = treesIn(paths, workspace, undefined);
  if (scan === undefined || tree === undefined) throw new Error("There is no workspace.");
  const overlay = await planMaskedOverlay(tree, { name: `overlay-${runId}`, scan });
  return { overlay, view: paths.merged, runId, workspace, hold: () => holdOverlays(lockRecord(runDirectory), [overlay], [tree]) };
}

const enter = (pid: number, view: string, ...command: readonly string[]): readonly string[] => ["enter", String(pid), view, ...command];

describe.runIf(runsRootTests)("an overlay in a user namespace", () => {
  test("has nothing of what is forbidden, whatever is renamed, and keeps what is written apart", async () => {
    const { overlay, view, workspace, hold } = await planned();
    const guardian = await hold();
    const script = `cd ${view}; ls -A . deep; mv deep d; ls -A d; cat .env d/.env; echo more >> a.txt`;
    const { stdout, stderr } = spawnSync(sandboxFile("build/warder-host"), enter(guardian.pid, view, "sh", "-c", script), { encoding: "utf8" });
    await guardian.release();
    expect(stdout).toBe(".:\na.txt\ndeep\n\ndeep:\n");
    expect(stderr.match(/No such file/gu)).toHaveLength(2);
    expect([readFileSync(`${overlay.upper}/a.txt`, "utf8"), readFileSync(`${workspace}/a.txt`, "utf8")]).toEqual(["alpha\nmore\n", "alpha\n"]);
    removeKernelWork(overlay.work);
    expect(existsSync(`${overlay.work}/work`)).toBe(false);
    removeKernelWork(overlay.work);
  });

  test("of a dead session is ended before anybody works with the run", async () => {
    const { overlay, view, runId, hold } = await planned();
    const guardian = await hold();
    const left = spawn(sandboxFile("build/warder-host"), enter(guardian.pid, view, "sh", "-c", "echo runs; exec sleep 1000"), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(left, "exit");
    await once(left.stdout, "data");
    process.kill(guardian.pid, "SIGKILL");
    const record = { runId, overlay: overlay.name };
    await endNamespace({ ...record, mounter: "engine" });
    await endNamespace(record);
    expect(left.exitCode ?? left.signalCode).toBeNull();
    await endNamespace({ ...record, mounter: "user-namespace" });
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("of a dead session is ended before its changes are reviewed", async () => {
    const here = await engineWorkspace({ "a.txt": "alpha\n" });
    const record = readRecord(here.runDirectory);
    if (record === null) throw new Error("There is no record.");
    const left = spawn("unshare", ["--mount", "sh", "-c", "echo runs; exec sleep 1000"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(left, "exit");
    await once(left.stdout, "data");
    await here.end();
    writeRecord(here.runDirectory, { ...record, mounter: "user-namespace", state: "closed" });
    const review = await here.review();
    expect(await ended).toEqual([null, "SIGKILL"]);
    await review.close();
    await here.remove();
  });

  test("says what is mounted in the workspace, where no ordinary user may show what lies below it", async () => {
    const { view, overlay, workspace, hold } = await planned();
    const below = join(workspace, "deep");
    execFileSync("mount", ["-t", "tmpfs", "none", below]);
    try {
      await expect(hold()).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining(`${below} is mounted in the workspace`) });
      expect([existsSync(view), existsSync(overlay.upper)]).toEqual([true, true]);
    } finally {
      execFileSync("umount", [below]);
    }
  });

  test("is refused where a machine forbids user namespaces, with what to type", () => {
    const look = `import { bubblewrapRuntime } from ${JSON.stringify(fileURLToPath(new URL("../../../../src/sandbox/bubblewrap/runtime.ts", import.meta.url)))}; console.log(JSON.stringify(await bubblewrapRuntime().check()));`;
    const identity = [`--reuid=${String(ORDINARY_USER)}`, `--regid=${String(ORDINARY_USER)}`, "--clear-groups", "--inh-caps=-all"];
    const own = ["unshare", "--user", `--map-user=${String(ORDINARY_USER)}`, `--map-group=${String(ORDINARY_USER)}`, "--keep-caps"];
    const forbidden = ["sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh", process.execPath, "--input-type=module", "--eval", look];
    const status = JSON.parse(execFileSync("setpriv", [...identity, ...own, ...forbidden], { encoding: "utf8", cwd: "/" })) as Record<string, unknown>;
    expect(status).toMatchObject({
      isReady: false,
      detail: expect.stringContaining("a user namespace cannot be made"),
      remedy: expect.stringContaining("user.max_user_namespaces=15000 | sudo tee"),
    });
  });
});

describe.runIf(runsRootTests)("a workspace of another group", () => {
  test("is refused with what to type: a user namespace has only the user's own group", () => {
    fixture = makeFixture();
    const { workspace } = fixture;
    requireOwnGroup(workspace);
    chownSync(workspace, 0, 1234);
    expect(() => requireOwnGroup(workspace)).toThrow(/belongs to the group 1234, and this process to 0: .*chgrp -R 0 WORKSPACE/u);
  });
});

test.each([
  ["a kernel that allows none", { "user/max_user_namespaces": "0\n" }, "user.max_user_namespaces=15000"],
  ["Debian's older setting", { "user/max_user_namespaces": "9\n", "kernel/unprivileged_userns_clone": "0\n" }, "kernel.unprivileged_userns_clone=1"],
  ["Ubuntu's AppArmor", { "kernel/apparmor_restrict_unprivileged_userns": "1\n" }, "kernel.apparmor_restrict_unprivileged_userns=0"],
  ["a machine that allows them", { "user/max_user_namespaces": "9\n", "kernel/apparmor_restrict_unprivileged_userns": "0\n" }, null],
])("what %s wants typed", (_name, settings, typed) => {
  const folder = mkdtempSync(join(tmpdir(), "warder-test-"));
  for (const [setting, value] of Object.entries(settings)) {
    mkdirSync(dirname(join(folder, setting)), { recursive: true });
    writeFileSync(join(folder, setting), value);
  }
  const remedy = namespaceRemedy(folder);
  rmSync(folder, { recursive: true });
  expect(remedy ?? "nothing").toContain(
    typed === null ? "nothing" : `printf '%s\\n' ${typed} | sudo tee /etc/sysctl.d/60-user-namespaces.conf && sudo sysctl --system`,
  );
});
