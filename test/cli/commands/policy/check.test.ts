import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { checkPolicy, type PolicyCheckOptions } from "../../../../src/cli/commands/policy/check.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

const WARNED = 'version: 1\nname: mine\nextends: supervised\ncommands:\n  rules:\n    - id: a\n      deny: "gti **"\n      because: "A test."\n';
const BROKEN = "version: 1\nname: mine\nextends: supervised\nautonomy: much\n";

async function checked(text: string, options: Partial<PolicyCheckOptions>): Promise<{ readonly exitCode: number; readonly stdout: string }> {
  const directory = temporaryDirectory();
  const file = join(directory, "mine,1.yaml");
  writeFileSync(file, text);
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const exitCode = await checkPolicy(file, { workspace: directory, ...options });
  const stdout = write.mock.calls.map(([part]) => String(part)).join("");
  write.mockRestore();
  return { exitCode, stdout: stdout.replaceAll(directory, "DIR") };
}

test("says what it found as JSON, of a policy that loads and of one that does not", async () => {
  const { exitCode, stdout } = await checked(WARNED, { json: true });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    valid: true,
    policy: "mine",
    diagnostics: [{ severity: "warning", code: "unknown-program", line: 6, column: 7 }],
  });
  const broken = await checked(BROKEN, { json: true });
  expect(broken.exitCode).toBe(78);
  expect(JSON.parse(broken.stdout)).toMatchObject({ valid: false, diagnostics: [{ severity: "error", code: "invalid", line: 4, column: 11 }] });
});

test("says it in SARIF, each result of a rule that the report has", async () => {
  type Sarif = { runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string; level: string }[] }[] };
  for (const [text, code] of [
    [WARNED, "unknown-program"],
    [BROKEN, "invalid"],
  ] as const) {
    const report = JSON.parse((await checked(text, { sarif: true })).stdout) as Sarif;
    const [run] = report.runs;
    expect(run?.results.map(({ ruleId }) => ruleId)).toEqual([code]);
    expect(run?.tool.driver.rules.map(({ id }) => id)).toContain(code);
  }
});

test("says it as annotations of GitHub, which no text of a policy can end", async () => {
  expect((await checked(WARNED, { github: true })).stdout).toMatch(
    /^::warning file=\S*mine%2C1\.yaml,line=6,col=7,title=warder policy%3A unknown-program::The rule `a` is about `gti`[^\n]*\n$/u,
  );
  const { stdout } = await checked(BROKEN.replace("much", '"much\\n::error::100%"'), { github: true });
  expect(stdout.split("\n")).toHaveLength(2);
  expect(stdout).not.toMatch(/[^%]%(?![0-9A-F]{2})/u);
});

test("with --strict a warning is a failure, and two answers at once are none", async () => {
  expect((await checked(WARNED, { strict: true })).exitCode).toBe(1);
  expect((await checked(WARNED, {})).exitCode).toBe(0);
  await expect(checked(WARNED, { json: true, sarif: true })).rejects.toThrow(/different answers/u);
});
