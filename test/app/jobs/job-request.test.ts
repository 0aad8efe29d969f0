import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { absolute, examineRequest, type JobRequest } from "../../../src/app/jobs/job-request.ts";
import { checkSink } from "../../../src/app/jobs/notifier.ts";
import { pathApart } from "../../../src/app/setup/places-apart.ts";
import { readSink } from "../../../src/app/records/sink.ts";
import { movableClock, temporaryDirectory, temporaryStore } from "../../support/temporary-store.ts";

describe("where a job's end is told", () => {
  function place(): { readonly workspace: string; readonly outside: string; readonly check: (text: string) => () => void } {
    const root = temporaryDirectory();
    const [workspace, outside] = [join(root, "workspace"), join(root, "outside")];
    for (const directory of [workspace, outside]) mkdirSync(directory);
    for (const directory of [workspace, outside]) writeFileSync(join(directory, "tell"), "");
    return { workspace, outside, check: (text) => () => checkSink(readSink(text), [workspace]) };
  }
  const REFUSED = expect.objectContaining({ code: "usage", message: expect.stringContaining("the agent may write") });

  test("may be the system's log, a file or a program outside of the workspace", () => {
    const { outside, check } = place();
    for (const text of ["syslog:", `file:${outside}/log.jsonl`, `command:${outside}/tell me`, "command:/bin/cat"]) expect(check(text)).not.toThrow();
  });

  test("is never a program or a file in it, under any name", () => {
    const { workspace, outside, check } = place();
    symlinkSync(workspace, join(outside, "link"));
    symlinkSync(join(workspace, "tell"), join(outside, "tell-link"));
    // A link in the workspace leads out of it today, and elsewhere tomorrow.
    symlinkSync(join(outside, "tell"), join(workspace, "out"));
    for (const path of [
      `${workspace}/tell`,
      `${workspace}/new`,
      `${outside}/link/tell`,
      `${outside}/tell-link`,
      `${workspace}/out`,
      `${outside}/../workspace/tell`,
    ])
      for (const text of [`file:${path}`, `command:${path}`, `command:/bin/sh ${path}`]) expect(check(text), text).toThrow(REFUSED);
  });

  test("is never a program whose words name something in it", () => {
    const { workspace, check } = place();
    const relative = workspace.slice(1);
    for (const words of [`-f${workspace}/x`, `--to=${workspace}`, relative, `./${relative}/x`, `-C${relative}`, `x/../${relative}`, `@${workspace}/x`])
      expect(check(`command:/bin/cat ${words}`), words).toThrow(REFUSED);
  });

  test.each([
    "/bin/sh p/jn/tell.sh",
    "/bin/bash",
    "/usr/bin/env -C . sh x",
    "/usr/bin/env --weird sh x",
    "/usr/bin/python3 -m tell",
    "/usr/bin/perl tell",
    "/usr/bin/nice sh x",
    "/usr/bin/timeout 5 sh x",
    "/usr/bin/find . -exec sh x +",
    "/usr/bin/xargs sh",
    "/usr/bin/busybox sh x",
    "/usr/bin/make -f x",
    "/usr/bin/awk -f x",
    "/usr/bin/git -C x status",
    "/usr/bin/node tell.js",
    // In no table: what they start stands among their words, or they are an interpreter of another version.
    "/lib64/ld-linux-x86-64.so.2 /bin/sh",
    "/usr/bin/fakeroot sh p/jn/tell.sh",
    "/usr/bin/dbus-run-session -- bash",
    "/usr/bin/no-such-wrapper --then make -f x",
    "/usr/bin/perl5.36.0 tell",
    "/usr/bin/perl5.36-x86_64-linux-gnu",
    "/usr/bin/tclsh8.6",
    "/usr/bin/python3.13 -m tell",
  ])("is no program to which a word is more than data: %s", (words) => {
    const { check } = place();
    expect(check(`command:${words}`)).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining("one program whose words are data") }));
  });

  test.each([
    "/usr/bin/secret-tool lookup service warder",
    "/usr/bin/pass show keys/a",
    "/usr/bin/notify-send -u low Done",
    "/usr/sbin/sendmail -t",
    "/opt/tell5 done",
  ])("may be a program that no table has, with words that start nothing: %s", (words) => {
    const { check } = place();
    expect(check(`command:${words}`)).not.toThrow();
  });

  test("is no such program under another name", () => {
    const { outside, check } = place();
    symlinkSync("/bin/sh", join(outside, "mine"));
    expect(check(`command:${outside}/mine p/jn/tell.sh`)).toThrow("one program whose words are data");
  });

  test("finds no program in it by its PATH, nor where it runs", () => {
    const { workspace, outside } = place();
    symlinkSync(workspace, join(outside, "bin"));
    vi.stubEnv("PATH", `${workspace}/node_modules/.bin:.::bin:${outside}/bin:/usr/bin:${outside}`);
    expect(pathApart([workspace])).toBe(`/usr/bin:${outside}`);
  });
});

describe("a request for a job", () => {
  const REQUEST: JobRequest = {
    name: "nightly",
    cron: "0 3 * * *",
    timeZone: "UTC",
    task: "tidy up",
    model: "scripted:none",
    workspace: "",
    policy: "unattended",
    catchUp: "skip",
    jitterMs: 0,
    retries: 0,
    deadlineMs: null,
    notify: null,
    source: null,
    sourceDigest: null,
  };
  function examine(change: Partial<JobRequest>): ReturnType<typeof examineRequest> {
    const store = temporaryStore();
    vi.stubEnv("WARDER_HOME", store.paths.directory);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const log = { store, clock: movableClock() };
    return examineRequest({ store, audit: log, approvals: log }, { ...REQUEST, workspace: temporaryDirectory(), ...change });
  }

  test("becomes a job with the digest of its policy", () => {
    expect(examine({})).toMatchObject({ faults: [], job: { name: "nightly", policyDigest: expect.stringMatching(/^[0-9a-f]{64}$/u), heldBecause: null } });
  });

  test.each([
    ["name", { name: "Nightly!" }, "no name for a job"],
    ["task", { task: " " }, "needs a task"],
    ["cron", { cron: "0 3 * *" }, "4 fields"],
    ["cron", { cron: "0 0 30 2 *" }, "never due"],
    ["timeZone", { timeZone: "Mars" }, "no time zone"],
    ["jitterMs", { cron: "*/5 * * * *", jitterMs: 300_000 }, "jitter must be shorter"],
    ["model", { model: "nothing" }, "PROVIDER:NAME"],
    ["workspace", { workspace: "/nowhere" }, "/nowhere cannot be used"],
    ["policy", { policy: "/srv/gone.yaml" }, "There is no policy file"],
    ["notify", { notify: "carrier-pigeon" }, "no place to send to"],
    ["notify", { notify: "command:/nowhere/tell" }, "cannot be read"],
  ] as const)("with a wrong %s is refused: %o", (field, change, message) => {
    expect(examine(change)).toMatchObject({ job: null, faults: [{ field, fault: { message: expect.stringContaining(message) } }] });
  });
});

test("what a job names relative to where a person stood is found from anywhere", () => {
  const request = { policy: "./nightly.yaml", workspace: "project", model: "scripted:night.yaml" } as JobRequest;
  expect(absolute(request, "/srv/jobs")).toMatchObject({
    policy: "/srv/jobs/nightly.yaml",
    workspace: "/srv/jobs/project",
    model: "scripted:/srv/jobs/night.yaml",
  });
  expect(absolute({ ...request, policy: "unattended", model: "openai:x" }, "/srv/jobs")).toMatchObject({ policy: "unattended", model: "openai:x" });
});
