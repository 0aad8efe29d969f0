import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { isOwnerAlive, ownerName, ownerNamed, ownerOf, pidOf } from "../../src/sandbox/owner.ts";
import { deadOwner } from "../support/dead-owner.ts";
import { once, until } from "../support/until.ts";

const own = ownerOf(process.pid) ?? "";

test("an owner lives as long as its process does", () => {
  expect(isOwnerAlive(own)).toBe(true);
  expect(pidOf(own)).toBe(String(process.pid));
  expect(isOwnerAlive(deadOwner())).toBe(false);
  expect(isOwnerAlive(own.replace(/\d+$/u, "1"))).toBe(false);
  expect(isOwnerAlive(own.replace(/^[^/]+/u, "another-boot"))).toBe(false);
});

test("an owner in another pid namespace may live: what it left stays", () => {
  expect(isOwnerAlive(own.replace(/pid:\[\d+\]/u, "pid:[1]").replace(/\/\d+\/\d+$/u, "/999999999/1"))).toBe(true);
});

test.each(["", "x", "123:456", "999/1", `${own}/more`, own.replace(/\d+$/u, "unknown")])("what names no process counts as dead: %s", (owner) => {
  expect(isOwnerAlive(owner)).toBe(false);
});

test("an owner is a part of a file's name, and is read from it", () => {
  expect(ownerName(own)).toMatch(/^[\w-]+$/u);
  expect(ownerNamed(ownerName(own))).toBe(own);
  expect(ownerNamed("anything")).toBe("");
});

test("a process that ended and was not waited for is dead", async () => {
  // The child of a program that never waits, as a shell may; it ends when that program runs.
  const parent = spawn("sh", ["-c", "(read -r line <&3) & echo $!; exec sleep 1000 3<&-"], { stdio: ["ignore", "pipe", "inherit", "pipe"] });
  try {
    const [text] = (await once(parent.stdout as Readable, "data")) as [Buffer];
    const pid = Number(text.toString());
    await until("the program runs", () => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8") === "sleep\n");
    (parent.stdio[3] as Writable).end();
    await until("the child has no owner's name", () => ownerOf(pid) === null);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
  } finally {
    parent.kill("SIGKILL");
  }
});
