import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithChromium, startBrowser } from "../support/browser.ts";

const BUILD = join(import.meta.dirname, "../../scripts/build-playground.ts");
const PHONE = { width: 390, height: 844 };
const HOSTILE = '"<img src=x onerror=owned=1></textarea></script><script>owned=1</script>"';

describeWithChromium("the playground in a browser", () => {
  let browser: Browser;
  const directory = mkdtempSync(join(tmpdir(), "playground-"));
  const file = join(directory, "playground.html");
  beforeAll(async () => {
    execFileSync(process.execPath, [BUILD, file]);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(directory, { recursive: true });
  });

  async function opened(): Promise<{ readonly page: Page; readonly faults: readonly string[]; readonly requests: readonly string[] }> {
    const page = await browser.newPage({ viewport: PHONE });
    const [faults, requests]: [string[], string[]] = [[], []];
    page.on("pageerror", ({ message }) => faults.push(message));
    page.on("console", (message) => faults.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, faults, requests };
  }

  test("compares what is typed, decides calls, and loads nothing", async () => {
    const { page, faults, requests } = await opened();
    await page.getByText("The right policy widens.").waitFor();
    await page.getByLabel("Right: after").fill("version: 1\nname: nightly\nextends: supervised\nautonomy: read-only\n");
    await page.getByText("The right policy only tightens.").waitFor();
    await page.getByLabel("Try calls").fill("touch a");
    await page.locator("details.differs", { hasText: "touch a" }).click();
    expect(await page.locator("details.differs .ruling").allInnerTexts()).toEqual([expect.stringMatching(/^Left: /u), expect.stringMatching(/^Right: deny/u)]);
    await page.getByRole("button", { name: "Swap" }).click();
    await page.getByText("The right policy widens.").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    expect([faults, requests.filter((url) => !url.startsWith("blob:"))]).toEqual([[], [pathToFileURL(file).href]]);
  });

  test("shows a mistake at its place, and takes text for text", async () => {
    const { page, faults } = await opened();
    await page.getByLabel("Right: after").fill(`version: 1\nname: x\nextends: supervised\nautonomy: ${HOSTILE}\n`);
    await page.getByText("There is no comparison until both policies are valid.").waitFor();
    await page.getByRole("button", { name: "4:11" }).click();
    expect(await page.evaluate("document.activeElement.id + document.activeElement.selectionStart")).toBe(
      `after${String("version: 1\nname: x\nextends: supervised\n".length + 10)}`,
    );
    await page.getByLabel("Try calls").fill(HOSTILE);
    await page.locator("details code", { hasText: "onerror" }).first().waitFor();
    expect(await page.evaluate("typeof owned")).toBe("undefined");
    expect(faults).toEqual([]);
  });
});
