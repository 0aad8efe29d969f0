import { expect, test } from "vitest";
import { lackOfBrowser } from "../../../src/sandbox/browser/lack.ts";
import type { SessionPlan } from "../../../src/sandbox/parts.ts";

const openInImage = (): never => {
  throw new Error("It is not opened here.");
};
const plan = (more: object, allow: readonly string[] = ["a.example.org"]): SessionPlan =>
  ({ openInImage, options: { browserImage: "sha256:0" }, profile: { settings: { network: { allow } } }, ...more }) as unknown as SessionPlan;

test("says what a session lacks for a browser, and what a person types", () => {
  expect(lackOfBrowser(plan({}))).toBeNull();
  expect(lackOfBrowser(plan({ options: {} }))).toContain("`warder image add browser --browser`");
  expect(lackOfBrowser(plan({ openInImage: undefined }))).toContain("needs Docker Engine or Podman on this machine");
  expect(lackOfBrowser(plan({}, []))).toBe("The policy gives this run no network.");
});
