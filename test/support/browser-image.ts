import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { warderAtTerminal } from "./pseudo-terminal.ts";
import type { Place } from "./warder-cli.ts";

const SANDBOX = join(import.meta.dirname, "..", "..", "sandbox");
const docker = (...argv: readonly string[]): string => execFileSync("docker", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** By what goes into it: an image of other files, or on another base, is another. */
function tag(): string {
  const folder = join(SANDBOX, "browser");
  const texts = [
    join(SANDBOX, "build", "image-id"),
    ...readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name)),
  ].map((path) => readFileSync(path));
  return `warder-browser-of-tests:${createHash("sha256").update(Buffer.concat(texts)).digest("hex").slice(0, 12)}`;
}

function idOf(name: string): string | null {
  try {
    return docker("image", "inspect", "--format", "{{.Id}}", name);
  } catch {
    return null;
  }
}

const isMade = ((): boolean => {
  try {
    return idOf(tag()) !== null;
  } catch {
    return false;
  }
})();

/** Runs where an earlier run made the image of a browser, which takes minutes; REQUIRE_BROWSER=1 makes it. */
export function describeWithBrowser(name: string, tests: () => void): void {
  if (isMade || process.env["REQUIRE_BROWSER"] === "1") describe(name, tests);
  else describe.skip(`${name} [skipped: no image of a browser; REQUIRE_BROWSER=1 makes it]`, tests);
}

/** Gives a place the image of a browser, as a person prepares it; one that was made for tests before is taken as it is. */
export async function prepareBrowser(here: Place): Promise<void> {
  const known = idOf(tag());
  mkdirSync(here.state, { mode: 0o700, recursive: true });
  if (known !== null) {
    const base = readFileSync(join(SANDBOX, "build", "image-id"), "utf8").trim();
    const image = { name: "browser", image: known, base, made: { kind: "browser" }, by: "a test", preparedAt: "2026-01-01T00:00:00.000Z" };
    return writeFileSync(join(here.state, "images.json"), JSON.stringify({ version: 1, images: [image] }), { mode: 0o600 });
  }
  const terminal = warderAtTerminal(here, ["image", "add", "browser", "--browser"]);
  await terminal.shows(/type: browser/u);
  terminal.type("browser\r");
  if ((await terminal.ended) !== 0) throw new Error(`The image of a browser was not made: ${terminal.screen().slice(-3000)}`);
  const made = /Added browser \((sha256:[0-9a-f]{64})\)/u.exec(terminal.screen())?.[1] ?? "";
  docker("tag", made, tag());
}
