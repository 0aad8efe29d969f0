import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changeSinceConfirmed } from "../../../src/app/policy/confirming.ts";
import { readPolicyFile } from "../../../src/config/policy/files.ts";
import { trustPolicy } from "../../../src/config/policy/trust.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

function place() {
  const directory = temporaryDirectory();
  const state = join(directory, "state");
  mkdirSync(state);
  const write = (name: string, ...lines: readonly string[]) => {
    const path = join(directory, name);
    writeFileSync(path, ["version: 1", `name: ${name.slice(0, -".yaml".length)}`, ...lines, ""].join("\n"));
    return readPolicyFile(path, path);
  };
  return { state, write, trust: (file: ReturnType<typeof write>) => trustPolicy(file, state, new Date(0)) };
}

test("a text that nobody confirmed before is compared with nothing", async () => {
  const { state, write } = place();
  expect(await changeSinceConfirmed([write("own.yaml", "autonomy: full")], state)).toBeNull();
});

test("a changed text is compared with the one that was confirmed, as it was read, whatever the file holds by now", async () => {
  const { state, write, trust } = place();
  trust(write("own.yaml", "autonomy: supervised"));
  const read = write("own.yaml", "autonomy: supervised", "commands: { rules: [{ id: tests, allow: npm test, because: Why. }] }");
  write("own.yaml", "autonomy: read-only");
  const comparison = await changeSinceConfirmed([read], state);
  expect(comparison?.outcome).toBe("widens");
  expect(comparison?.differences.map(({ part, witness }) => [part.what, witness?.wanted])).toContainEqual([
    "rule tests",
    { kind: "command", text: "npm test" },
  ]);
});

test("a parent that changed is told as well", async () => {
  const { state, write, trust } = place();
  trust(write("parent.yaml", "autonomy: read-only"));
  const own = write("own.yaml", "extends: ./parent.yaml");
  trust(own);
  const parent = write("parent.yaml", "autonomy: supervised");
  expect(await changeSinceConfirmed([own, parent], state)).toMatchObject({
    outcome: "widens",
    before: { autonomy: "read-only" },
    after: { autonomy: "supervised" },
  });
});
