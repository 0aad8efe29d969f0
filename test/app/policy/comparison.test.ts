import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comparePolicies } from "../../../src/app/policy/comparison.ts";
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
