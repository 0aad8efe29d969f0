import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comparePolicies } from "../../../src/app/policy/comparison.ts";
import { callLog } from "../../support/call-log.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

test("a call about which the gate says otherwise is no line: the comparison ends, and names it", async () => {
  const directory = temporaryDirectory();
  const file = (name: string, ...lines: readonly string[]): string => {
    const path = join(directory, name);
    writeFileSync(path, ["version: 1", "name: test", "autonomy: supervised", ...lines, ""].join("\n"));
    return path;
  };
  const before = { kind: "file", file: file("before.yaml") } as const;
  const after = { kind: "file", file: file("after.yaml", "commands: { rules: [{ id: test, allow: npm test, because: Why. }] }") } as const;
  expect((await comparePolicies(before, after)).outcome).toBe("widens");
  const asked: string[] = [];
  const judge = async (wanted: { readonly kind: string }): Promise<"deny"> => {
    asked.push(wanted.kind);
    return await Promise.resolve("deny");
  };
  await expect(comparePolicies(before, after, { judge })).rejects.toThrow("test says deny about");
  expect(asked).toEqual(["command"]);
});

test("calls of the log are counted in the difference that they lie in, wherever their workspace was", async () => {
  const { here, audit } = callLog([
    [{ command: "npm test" }, { verdict: "ask" }],
    [{ command: "npm test" }, { run: "run-2", verdict: "ask" }],
    [{ command: "npm test --x" }, { verdict: "ask" }],
    [{ path: "secret/a" }, { tool: "read_file" }],
    [{ command: `cat secret/b` }],
    [{ command: "cat notes" }],
    [{ command: "echo hunter2" }],
  ]);
  const file = (name: string, ...lines: readonly string[]): { readonly kind: "file"; readonly file: string } => {
    writeFileSync(join(here.root, name), ["version: 1", "name: test", "autonomy: supervised", ...lines, ""].join("\n"));
    return { kind: "file", file: join(here.root, name) };
  };
  const [before, after] = [
    file("before.yaml"),
    file(
      "after.yaml",
      "workspace: { forbidden: ['secret/**'] }",
      "commands: { rules: [{ id: test, allow: npm test, because: Why. }] }",
      "limits: { run: { turns: 20 } }",
    ),
  ];
  const { differences, counted } = await comparePolicies(before, after, { log: { audit, span: {} } });
  expect(counted).toEqual({ calls: 6, lost: 1 });
  const met = differences.filter(({ logged }) => logged !== 0);
  expect(new Set(met.map(({ part, direction, logged }) => [part.what, direction, logged].join(" ")))).toEqual(
    new Set(["rule test widens 2", "forbidden secret/** tightens 2", "limits.run.turns tightens "]),
  );
  expect((await comparePolicies(before, after)).differences.some((one) => "logged" in one)).toBe(false);
});
