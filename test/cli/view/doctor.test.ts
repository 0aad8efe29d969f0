import { expect, test } from "vitest";
import type { Finding } from "../../../src/app/doctor/machine.ts";
import { doctorScreen, doctorTable } from "../../../src/cli/view/doctor.ts";
import type { Property } from "../../../src/sandbox/runtime.ts";

const finding = (what: string, over: Partial<Finding> = {}): Finding => ({ what, state: "ok", detail: "x".repeat(200), isNeeded: true, ...over });
const property = (what: string, isMet: boolean | null): Property => ({ what, isMet, expected: "a".repeat(90), found: "b", seenFrom: "inside" });

const FINDINGS = [
  ...["Node.js", "kernel", "docker sandbox", "bubblewrap sandbox", "state", "audit log", "stop switch"].map((what) => finding(what)),
  ...Array.from({ length: 40 }, (_, index) => finding("what ended runs left", { state: "note", detail: `container ${index}`, isNeeded: false })),
];
const REMEDY = `Start it (as root: systemctl start docker). ${"And then some more. ".repeat(8)}`;

function linesOf(screen: string): readonly string[] {
  const lines = screen.replaceAll(/\u001B\[\d+m/gu, "").split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  return lines;
}

test("fits one screen when everything works, and says what to type next", () => {
  const properties = Array.from({ length: 60 }, (_, index) => property(`property ${index}`, true));
  const lines = linesOf(doctorScreen(FINDINGS, { policy: "unattended", runtime: "docker", properties, mount: "bind" as const, failure: null }));
  expect(lines.at(-2)).toBe("Everything that the shipped policies need works. Next: warder init");
  expect(lines.join("\n")).toContain("60 of 60 properties are as they should be");
  expect(lines.join("\n")).toContain("removed: 40");
});

test("fits one screen when much is missing, and ends with what to type", () => {
  const findings = FINDINGS.map((each) => (each.state === "ok" ? { ...each, state: "missing" as const, remedy: `${REMEDY}${each.what}` } : each));
  const properties = Array.from({ length: 60 }, (_, index) => property(`property ${index}`, index % 2 === 0));
  const { length } = linesOf(
    doctorScreen(findings.slice(0, 9), { policy: "unattended", runtime: "docker", properties, mount: "bind" as const, failure: null }),
  );
  expect(length).toBeGreaterThan(10);
});

test("says in full why a workspace is mounted as it is, where the screen has room", () => {
  const lines = linesOf(doctorScreen(FINDINGS, { policy: "unattended", runtime: "docker", properties: [], mount: "overlay-by-engine", failure: null }));
  expect(lines.join(" ").replaceAll(/ +/gu, " ")).toContain("because this user is not root: a file takes 2 GiB at most, all changes together are not limited");
});

test("names the properties that are not met, and where to read more", () => {
  const screen = doctorScreen([finding("Node.js")], {
    policy: "unattended",
    runtime: "docker",
    properties: [property("network", false)],
    mount: "bind" as const,
    failure: null,
  });
  expect(screen).toContain("network");
  expect(screen).toContain("warder doctor --verbose");
});

test("says in full why no sandbox opened, where nothing else is wrong", () => {
  const failure = `A transactional workspace cannot be made here. ${"It wants more words. ".repeat(6)}Try --policy supervised.`;
  const lines = linesOf(doctorScreen(FINDINGS, { policy: "unattended", runtime: "docker", properties: [], mount: null, failure }));
  expect(lines.join(" ").replaceAll(/ +/gu, " ")).toContain(failure);
});

test("shows every property, expected and found, when asked for more", () => {
  const properties = [property("network", false), property("memory", true)];
  const table = doctorTable(FINDINGS, { policy: "unattended", runtime: "docker", properties, mount: "bind" as const, failure: null });
  expect(table).toContain(`expected ${"a".repeat(90)}, found b (inside)`);
  expect(table).toContain("1 of 2 properties are as they should be");
  expect(table).toContain("container 39");
});
