import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtProgram, isRoot } from "../supervisor/process.ts";
import { mountsBelow, records, temporaryDirectory } from "./program.ts";
import { runsRootTests } from "../../support/root.ts";
import { once } from "../../support/until.ts";

let top: ReturnType<typeof temporaryDirectory>;
let at: (name: string) => string;
let sandbox: ChildProcess;

/** A process with mounts of its own, in which the placeholder stands at `shown`. */
beforeEach(async () => {
  if (!isRoot) return;
  top = temporaryDirectory();
  at = (name) => `${top.path}/${name}`;
  for (const name of ["placeholder", "shown", "source", "other"]) mkdirSync(at(name));
  writeFileSync(at("source/file"), "content");
  const script = 'mount --bind "$1" "$2" && echo ready && exec sleep 1000';
  sandbox = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "sh", at("placeholder"), at("shown")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (sandbox.stdout === null) throw new Error("no output");
  await once(sandbox.stdout, "data");
});
afterEach(() => {
  sandbox.kill("SIGKILL");
  top.remove();
});

function place(plan: readonly (readonly string[])[], { placeholder = at("placeholder"), pid = sandbox.pid } = {}) {
  const done = spawnSync(builtProgram("warder-host"), ["place", String(pid), placeholder, at("shown")], {
    input: records(...plan, ["go"]),
    encoding: "utf8",
  });
  return { status: done.status, answer: done.stdout.trim() };
}

const inside = (name: string): string => `/proc/${String(sandbox.pid)}/root${at(name)}`;
const optionsInside = (name: string): string =>
  readFileSync(`/proc/${String(sandbox.pid)}/mountinfo`, "utf8")
    .split("\n")
    .filter((line) => line.split(" ")[4] === at(name))
    .map((line) => line.split(" ")[5] ?? "")
    .at(-1) ?? "";

/** Mounting needs root: elsewhere there is nothing to test. */
describe.runIf(runsRootTests)("warder-host place", () => {
  it("shows directories in a sandbox that runs already, in order, and nowhere else", () => {
    mkdirSync(at("source/held"));
    mkdirSync(at("mask"));
    chmodSync(at("mask"), 0o000);
    writeFileSync(at("source/held/secret"), "s");
    const plan = [
      ["bind", at("source"), at("shown"), "rw"],
      ["bind", at("mask"), at("shown/held"), "ro"],
    ] as const;
    expect(place(plan)).toEqual({ status: 0, answer: "ok" });
    expect(readFileSync(inside("shown/file"), "utf8")).toBe("content");
    expect(existsSync(inside("shown/held/secret"))).toBe(false);
    expect(optionsInside("shown")).toMatch(/^rw,nosuid,nodev/);
    expect(optionsInside("shown/held")).toMatch(/^ro,nosuid,nodev/);
    expect(existsSync(at("shown/file"))).toBe(false);
    expect(mountsBelow(top.path)).toEqual([]);
  });

  it("places nothing in a process whose view has not the placeholder that was made for it", () => {
    const plan = [["bind", at("source"), at("shown"), "rw"]];
    expect(place(plan, { placeholder: at("other") })).toMatchObject({ status: 1, answer: expect.stringContaining("not in the sandbox") });
    expect(place(plan, { pid: process.pid })).toMatchObject({ status: 1, answer: expect.stringContaining("not in the sandbox") });
    expect(place(plan, { pid: 1 })).toMatchObject({ status: 1, answer: expect.stringContaining("no process") });
    expect(existsSync(inside("shown/file"))).toBe(false);
    expect(mountsBelow(top.path)).toEqual([]);
  });

  it("follows no link to its target", () => {
    symlinkSync(at("other"), at("source/link"));
    const plan = [
      ["bind", at("source"), at("shown"), "rw"],
      ["bind", at("source"), at("shown/link"), "rw"],
    ];
    expect(place(plan)).toMatchObject({ status: 1, answer: expect.stringMatching(/^error 2 .*link/) });
    expect(existsSync(inside("other/file"))).toBe(false);
  });
});
