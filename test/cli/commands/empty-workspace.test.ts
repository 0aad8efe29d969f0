import { expect, test } from "vitest";
import { place } from "../../support/test-place.ts";
import { warder } from "../../support/warder-cli.ts";

test("a workspace whose name is empty is no workspace, and not the directory that one stands in", async () => {
  const here = place();
  for (const words of [
    ["check", "--workspace", "", "ls"],
    ["exec", "--workspace", "", "--", "ls"],
  ]) {
    const end = await warder(here, words);
    expect([words[0], end.exitCode, end.stdout]).toEqual([words[0], 2, ""]);
    expect(end.stderr).toContain("The name of the directory is empty");
  }
});
