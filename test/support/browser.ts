import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { describe } from "vitest";

/** Debian's Chromium, which no setup brings. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

/** Runs where there is a Chromium; REQUIRE_CHROMIUM=1 makes its absence a failure. */
export function describeWithChromium(name: string, tests: () => void): void {
  if (CHROMIUM !== undefined || process.env["REQUIRE_CHROMIUM"] === "1") describe(name, tests);
  else describe.skip(`${name} [skipped: no Chromium; apt-get install chromium]`, tests);
}

export function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("There is no Chromium: apt-get install chromium");
  // Its own sandbox refuses root.
  return chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}
