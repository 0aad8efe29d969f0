import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentError } from "../../../src/base/errors.ts";
import { type BrowserPlan, createBrowserLane } from "../../../src/sandbox/browser/lane.ts";

const IMAGE = `sha256:${"a".repeat(64)}`;

/** A browser whose sandbox cannot be opened, with what happened in order. */
function unopened(onOpen: (image: string) => void) {
  const directory = mkdtempSync(join(tmpdir(), "browser-"));
  const happened: string[] = [];
  const bounds: unknown[] = [];
  const openLane = ({ profile: { image, settings } }: { readonly profile: { readonly image: string; readonly settings: object } }): never => {
    happened.push(`opened ${image}`);
    bounds.push(settings);
    throw new AgentError("sandbox-unavailable", "There is none.");
  };
  const plan = { openLane, image: IMAGE, plan: {}, onOpen: (image: string) => (happened.push(`told ${image}`), onOpen(image)) } as unknown as BrowserPlan;
  const beside = {
    workspace: { directory, profile: { settings: { memoryBytes: 64 * 1024 ** 3, processes: 100_000 } } },
    egress: { browserDirectory: directory, authority: null },
  };
  const lane = createBrowserLane(plan, beside as unknown as Parameters<typeof createBrowserLane>[1]);
  const open = () => lane.perform({ url: "https://a.example.org/", deed: { kind: "open" }, timeoutMs: 1000 }, new AbortController().signal);
  return { open, happened, bounds, lane };
}

test("the image is told before the sandbox is opened, each time anew", async () => {
  const { open, happened, lane } = unopened(() => undefined);
  expect(await open()).toMatchObject({ kind: "completed", result: { answer: { kind: "failed", reason: "the browser did not start: There is none" } } });
  await open();
  expect(happened).toEqual([`told ${IMAGE}`, `opened ${IMAGE}`, `told ${IMAGE}`, `opened ${IMAGE}`]);
  await lane.close();
});

test("its memory and processes are bounded, whatever the run's own commands have", async () => {
  const { open, bounds, lane } = unopened(() => undefined);
  await open();
  expect(bounds).toMatchObject([{ memoryBytes: 1024 ** 3, processes: 512 }]);
  await lane.close();
});

test("where that cannot be recorded no sandbox is opened", async () => {
  const { open, happened, lane } = unopened(() => {
    throw new AgentError("audit-unavailable", "The disk is full.");
  });
  expect(await open()).toMatchObject({ result: { answer: { kind: "failed", reason: "the browser did not start: The disk is full" } } });
  expect(happened).toEqual([`told ${IMAGE}`]);
  await lane.close();
});
