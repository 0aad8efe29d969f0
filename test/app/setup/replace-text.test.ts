import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const MODULE = pathToFileURL(join(import.meta.dirname, "../../../src/app/setup/replace-text.ts")).href;
const BEFORE = "a: 1\n";

/** In a process whose files end at 8 blocks: a write beyond takes a part and says nothing, as on a disk that is nearly full. */
function replaceWithin8Blocks(path: string, characters: number): string {
  const program = `
    const { replaceText } = await import(${JSON.stringify(MODULE)});
    try {
      replaceText(process.argv[1], ${JSON.stringify(BEFORE)}, "b".repeat(Number(process.argv[2])));
      console.log("written");
    } catch (error) {
      console.log(error.code, error.message);
    }`;
  const words = [process.execPath, "--input-type=module", "--eval", program, path, String(characters)];
  return execFileSync("sh", ["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh", ...words], { encoding: "utf8" });
}

test("a file that cannot be written whole is as it was, and nothing lies beside it", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "mine.yaml");
  writeFileSync(path, BEFORE);
  const said = replaceWithin8Blocks(path, 100_000);
  expect(said).toMatch(/^bad-configuration .*mine\.yaml cannot be written \(EFBIG\)\. It is as it was\./u);
  expect([readFileSync(path, "utf8"), readdirSync(directory)]).toEqual([BEFORE, ["mine.yaml"]]);
  expect(replaceWithin8Blocks(path, 1000)).toBe("written\n");
  expect(readFileSync(path, "utf8")).toBe("b".repeat(1000));
});
