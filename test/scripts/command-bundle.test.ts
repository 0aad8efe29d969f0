import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeBundledCheckout } from "../support/bundled-checkout.ts";

const checkout = makeBundledCheckout("command");
const { root, ask, askSources, usesBundle } = checkout;
afterAll(() => checkout.remove());

describe("the bundle of every command", () => {
  beforeEach(() => checkout.restamp());

  test("answers as long as nothing changed, and what it finds beside its source is the source's", () => {
    expect(usesBundle()).toBe(true);
    for (const argv of [["--version"], ["policy", "effective", "operator"], ["runs", "--no-such-option"]]) expect(ask(argv)).toEqual(askSources(argv));
    expect(ask(["policy", "effective", "operator"]).status).toBe(0);
  });

  test("answers in a checkout that was moved, for that changes no file", () => {
    const moved = `${root}-moved`;
    renameSync(root, moved);
    mkdirSync(root);
    try {
      const warder = join(moved, "bin/warder");
      expect(checkout.run(warder, ["runs"]).stdout).not.toBe("No runs yet.\n");
      expect(checkout.run(warder, ["policy", "effective", "operator"])).toMatchObject({ status: 0, stderr: "" });
    } finally {
      rmSync(root, { recursive: true });
      renameSync(moved, root);
    }
  });

  test.each([
    ["a source changed", () => appendFileSync(join(root, "src/app/run/run.ts"), "\n")],
    ["a chunk changed", () => appendFileSync(checkout.bundle, "\n")],
    ["it has no stamp", () => rmSync(checkout.stamp)],
    ["others may write its stamp", () => chmodSync(checkout.stamp, 0o666)],
  ])("does not answer when %s", (_what, spoil) => {
    spoil();
    expect(usesBundle()).toBe(false);
    expect(ask(["runs"]).stdout).toBe("No runs yet.\n");
    writeFileSync(checkout.stamp, "{}");
    chmodSync(checkout.stamp, 0o644);
  });
});
