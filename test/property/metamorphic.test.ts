import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, asyncProperty, constantFrom, record } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { readContext } from "../../src/app/setup/context.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { CheckParts } from "../../src/gate/check.ts";
import { checkCommand } from "../../src/gate/check.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { BASE_COMMANDS } from "./commands/base-commands.ts";
import { PREFIXES, QUOTINGS, WRAPPINGS } from "./commands/wrappings.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "metamorphic-")));
for (const name of ["README.md", "package.json", "a.txt", "b.txt"]) writeFileSync(join(directory, name), "{}\n");
afterAll(() => rmSync(directory, { recursive: true }));

const { policy, workspace, home, ownPaths } = readContext("operator", directory);
const parts: CheckParts = { policy, tools: createRegistry(), setting: { workspace, home }, containment: "profile", ownPaths, clock: systemClock };

const VERDICTS = ["allow", "ask", "deny"];
const RISKS = ["low", "medium", "high"];
type Level = { readonly verdict: number; readonly risk: number };

async function levelOf(command: string): Promise<Level> {
  const { decision, risk } = await checkCommand(parts, command);
  return { verdict: VERDICTS.indexOf(decision), risk: RISKS.indexOf(risk) };
}

/** Of each base command as it stands, with which all its forms are compared. */
const plainLevels = new Map<string, Promise<Level>>();
function plainLevelOf(words: readonly string[]): Promise<Level> {
  const text = plain(words);
  const level = plainLevels.get(text) ?? levelOf(text);
  plainLevels.set(text, level);
  return level;
}

const plain = (words: readonly string[]): string => words.map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
const isLower = (one: Level, other: Level): boolean => one.verdict < other.verdict || one.risk < other.risk;

/** The base commands that are judged less strictly in another form. */
async function loweredBy(form: (words: readonly string[]) => string): Promise<readonly string[]> {
  const lowered = await Promise.all(
    BASE_COMMANDS.map(async (words) => {
      const text = form(words);
      return isLower(await levelOf(text), await plainLevelOf(words)) ? text : null;
    }),
  );
  return lowered.filter((text) => text !== null);
}

describe("a command is judged no less strictly", () => {
  it("than commands of every verdict, so that there is something to lower", async () => {
    const levels = await Promise.all(BASE_COMMANDS.map((words) => levelOf(plain(words))));
    for (const verdict of [0, 1, 2]) expect(levels.filter((level) => level.verdict === verdict).length).toBeGreaterThan(2);
    for (const risk of [0, 2]) expect(levels.filter((level) => level.risk === risk).length).toBeGreaterThan(10);
  });

  it.each(WRAPPINGS.map((wrapping) => [wrapping.name, wrapping] as const))("in %s", async (_name, { wrap }) => {
    expect(await loweredBy((words) => wrap(plain(words)))).toEqual([]);
  });

  it.each(PREFIXES)("behind %s", async (prefix) => {
    expect(await loweredBy((words) => `${prefix} ${plain(words)}`)).toEqual([]);
  });

  it.each(QUOTINGS.map((quoting) => [quoting.name, quoting] as const))("written with %s", async (_name, { quote }) => {
    expect(await loweredBy((words) => words.map(quote).join(" "))).toEqual([]);
    expect(await loweredBy((words) => [...words.slice(0, 1), ...words.slice(1).map(quote)].join(" "))).toEqual([]);
  });

  it("in any wrappings of wrappings, next to any other command", async () => {
    const command = constantFrom(...BASE_COMMANDS).map(plain);
    const cases = record({
      one: command,
      other: command,
      inner: array(constantFrom(...WRAPPINGS.filter((wrapping) => wrapping.endsLine !== true)), { maxLength: 2 }),
      outer: constantFrom(...WRAPPINGS),
      joint: constantFrom("; ", " && ", " || ", "\n", " & "),
    });
    await assert(
      asyncProperty(cases, async ({ one, other, inner, outer, joint }) => {
        const level = await levelOf(one);
        const wrapped = [...inner, outer].reduce((text, { wrap }) => wrap(text), one);
        for (const text of [wrapped, `${one}${joint}${other}`, `${other}${joint}${one}`])
          expect(isLower(await levelOf(text), level), `lower: ${text}`).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
