import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.ts");
const TELL = `import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => { const found = next(name, context); process.stderr.write("loads " + found.url + "\\n"); return found; } });`;

test.each([[["run", "--help"]], [["chat", "--help"]], [["tools"]]])("%j loads nothing of a conversation, nor its library", (argv) => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(TELL)}`, MAIN, ...argv], { encoding: "utf8" });
  expect([status, stderr.match(/^loads .*(?:pi-tui|src\/cli\/chat\/).*$/gmu)]).toEqual([0, null]);
  expect(stderr).toMatch(/^loads .*src\/cli\/program\/work\.ts$/mu);
});
