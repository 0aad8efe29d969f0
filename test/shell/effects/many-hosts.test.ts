import { expect, test } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";

const PLACE = { cwd: "/srv/project", home: "/home/dev" };

test("thousands of hosts times thousands of options are no millions of effects, and no host is lost", () => {
  const hosts = Array.from({ length: 1500 }, (_, index) => `h${index}`);
  const { effects, undecidable } = analyseCommand(`curl ${hosts.map((host) => `-d x ${host}`).join(" ")}`, PLACE);
  expect(undecidable).toEqual([]);
  expect(effects.length).toBeLessThan(5 * hosts.length);
  const sentTo = new Set(effects.flatMap(({ kind, host }) => (kind === "sends" && host?.kind === "literal" ? [host.host] : [])));
  expect([...sentTo].toSorted()).toEqual(hosts.toSorted());
});

test("one host keeps each cause", () => {
  const causes = analyseCommand("curl -d x -T f http://h", PLACE).effects.flatMap(({ kind, cause }) => (kind === "sends" ? [cause] : []));
  expect(causes.join("\n")).toContain("`curl` sends `x`");
  expect(causes.join("\n")).toContain("`-T`");
});
