import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { storyHtml } from "../../src/cli/view/story/html.ts";
import { describeWithChromium, startBrowser } from "../support/browser.ts";
import { hostileTexts, runWith } from "../support/run-story.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

/** As wide as a phone. */
const PHONE = { width: 390, height: 844 };
const AT_ONCE = 8;

type Seen = {
  readonly requests: readonly string[];
  readonly dialogs: number;
  readonly marks: unknown;
  readonly widths: readonly number[];
  readonly served: number;
};

/** Texts that want to load from a server that is really there, or to run. */
const wanting = (origin: string): readonly string[] => [
  ...hostileTexts(origin),
  `<script>window.owned = 1; fetch("${origin}/script")</script>`,
  `"><img src=${origin}/image onerror="window.owned = 1">`,
  `</pre></section></details><iframe src=${origin}/frame></iframe><link rel=stylesheet href=${origin}/style><meta http-equiv=refresh content="0;url=${origin}/refresh">`,
  `</style><style>@import "${origin}/import"; body{background:url(${origin}/background)}</style>`,
  `<svg><script href=${origin}/svg></script><image href=${origin}/svg-image /></svg><form action=${origin}/form><input autofocus onfocus="window.owned = 1">`,
];

describeWithChromium("an exported run in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  async function opened(html: (origin: string) => string): Promise<Seen> {
    let served = 0;
    const server = createServer((_request, response) => {
      served += 1;
      response.end("window.owned = 1");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const file = join(temporaryDirectory(), "run.html");
    writeFileSync(file, html(origin));
    const page = await browser.newPage({ viewport: PHONE });
    const requests: string[] = [];
    let dialogs = 0;
    page.on("request", (request) => requests.push(request.url()));
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(file).href, { waitUntil: "networkidle" });
    for (const details of await page.locator("details > summary").all()) await details.click();
    const facts = await page.evaluate("[window.owned ?? null, document.documentElement.scrollWidth, document.documentElement.clientWidth]");
    const [marks, ...widths] = facts as [unknown, number, number];
    const shot = process.env["BROWSER_SHOTS"];
    if (shot !== undefined) await page.screenshot({ path: `${shot}/${String(performance.now())}.png` });
    await page.close();
    return { requests: requests.filter((url) => url !== pathToFileURL(file).href), dialogs, marks, widths, served };
  }

  const quiet = { requests: [], dialogs: 0, marks: null, widths: [PHONE.width, PHONE.width], served: 0 };

  test("loads nothing, runs nothing and has no sideways scroll at 390 pixels, whatever its texts want", async () => {
    const texts = wanting("http://127.0.0.1:1");
    expect(texts.length).toBeGreaterThan(15);
    const seenWith = async (index: number): Promise<[string, Seen]> => [
      texts[index] ?? "",
      await opened((origin) => storyHtml(runWith(wanting(origin)[index] ?? ""))),
    ];
    // Each page waits for half a second without a request.
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const indexes = [...texts.keys()].slice(at, at + AT_ONCE);
      expect(await Promise.all(indexes.map(seenWith))).toEqual(indexes.map((index) => [texts[index], quiet]));
    }
  });

  test("nor have long words, paths and lines", async () => {
    const texts = [
      "x".repeat(5_000),
      `/a/${"very-long-name/".repeat(300)}`,
      "word ".repeat(2_000),
      "\t\t\tdeep",
      `{"key":"${"0123456789abcdef".repeat(400)}"}`,
    ];
    expect(await Promise.all(texts.map((text) => opened(() => storyHtml(runWith(text)))))).toEqual(texts.map(() => quiet));
  });

  test("is seen to load where something would", async () => {
    const seen = await opened(
      (origin) => `<!doctype html><img src="${origin}/image"><script>window.owned = 1; alert(1)</script><div style="width:2000px">wide</div>`,
    );
    expect(seen).toMatchObject({ dialogs: 1, marks: 1, served: 1 });
    expect(seen.widths[0]).toBeGreaterThan(PHONE.width);
  });
});
