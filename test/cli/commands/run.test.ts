import { describe, expect, test } from "vitest";
import { place } from "../../support/test-place.ts";
import { warder } from "../../support/warder-cli.ts";

describe("warder run --resume goes on with a run as it was started", () => {
  test.each([[["--workspace", "/srv"]], [["--unattended"]]])("and takes no %j", async (words) => {
    expect(await warder(place(), ["run", "--resume", "run-none", ...words])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("as it was started"),
    });
  });

  test("which has to be there", async () => {
    expect(await warder(place(), ["run", "--resume", "run-none"])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("There is no run run-none") });
  });
});
