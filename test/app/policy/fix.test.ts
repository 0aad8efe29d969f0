import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planFixes, writeFixes } from "../../../src/app/policy/fix.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const HEAD = "# Ours.\nversion: 1\nname: mine # the name\nextends: supervised\n";

function place(text: string): { readonly file: string; readonly directory: string } {
  const directory = temporaryDirectory();
  const file = join(directory, "mine.yaml");
  writeFileSync(file, text);
  return { file, directory };
}

const item = (id: string, decides: string): string => `    - id: ${id}\n      ${decides}\n      because: "A test."\n`;

describe("policy check --fix", () => {
  test("takes out what decides nothing, with the comment above it, and leaves all else as it is", async () => {
    const kept = `${HEAD}commands:\n  rules:\n    # All of ours.\n${item("a", 'deny: "git tag **" # never')}`;
    const { file, directory } = place(
      `${kept}    # This one is idle.\n    # It was needed once.\n${item("b", 'allow: "git tag v1"')}\n    # This one is not.\n${item("c", 'allow: "npm run a"')}${item("d", 'ask: "npm run a"')}limits: {}\n# The end.\n`,
    );
    chmodSync(file, 0o640);
    const plan = await planFixes(file, directory);
    expect(plan.mended.map(({ code }) => code)).toEqual(["never-decides", "never-decides"]);
    writeFixes(plan);
    expect(readFileSync(file, "utf8")).toBe(`${kept}\n${item("d", 'ask: "npm run a"')}limits: {}\n# The end.\n`);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect((await planFixes(file, directory)).mended).toEqual([]);
  });

  test("of two rules that say the same it leaves one, and an expired deny, which still speaks, stays", async () => {
    const { file, directory } = place(
      `${HEAD}commands:\n  rules:\n${item("a", 'deny: "npm ci"')}${item("b", 'deny: "npm ci"')}${item("c", 'deny: "ls"\n      expires: 2020-01-01')}${item("d", 'allow: "pwd"\n      expires: 2020-01-01')}`,
    );
    const { after, mended } = await planFixes(file, directory);
    expect(mended.map(({ code }) => code)).toEqual(["expired", "redundant"]);
    expect(after).toBe(`${HEAD}commands:\n  rules:\n${item("a", 'deny: "npm ci"')}${item("c", 'deny: "ls"\n      expires: 2020-01-01')}`);
  });

  test.each([
    ["the only rule of a list", `${HEAD}commands:\n  only: [git]\n  rules:\n${item("a", 'allow: "make"')}`],
    ["a list in brackets", `${HEAD}commands:\n  rules: [{ id: a, deny: "ls **", because: "x" }, { id: b, allow: "ls", because: "x" }]\n`],
  ])("leaves %s to a person", async (_name, text) => {
    const { file, directory } = place(text);
    expect(await planFixes(file, directory)).toMatchObject({ mended: [], after: text });
  });

  test("touches no policy that does not load, none that is shipped, and none that was changed meanwhile", async () => {
    const { file, directory } = place("version: 1\n");
    await expect(planFixes(file, directory)).rejects.toThrow(/does not load/u);
    await expect(planFixes("supervised", directory)).rejects.toThrow(/is shipped/u);
    writeFileSync(file, `${HEAD}commands:\n  rules:\n${item("a", 'deny: "ls **"')}${item("b", 'allow: "ls"')}`);
    const plan = await planFixes(file, directory);
    writeFileSync(file, "somebody else's");
    expect(() => writeFixes(plan)).toThrow(/changed meanwhile/u);
    expect(readFileSync(file, "utf8")).toBe("somebody else's");
  });
});
