import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { URI, type TOTP } from "otpauth";
import { quote } from "shell-quote";
import { describe, expect, test } from "vitest";
import type { ApprovalCard } from "../../../src/approvals/card.ts";
import { enroll } from "../../../src/approvals/one-time-code.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { READING_MS } from "../../../src/approvals/terminal/keys.ts";
import { openStore } from "../../../src/store/store.ts";
import { runsRootTests } from "../../support/root.ts";
import { programCommand, startAtTerminal, startCommandAtTerminal } from "../../support/terminal-session.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { exampleCard } from "../example-card.ts";
import { once } from "../../support/until.ts";

const PROMPT = "Allow? ";

/** `prepare` comes before the program starts, with the directory of its state. */
function ask(card: ApprovalCard, delayMs = 0, prepare: (state: string) => void = () => undefined) {
  const output = join(temporaryDirectory(), "answer.json");
  prepare(join(dirname(output), "state"));
  const terminal = startAtTerminal("ask-at-terminal", JSON.stringify(card), output, String(delayMs));
  const answer = async (): Promise<Record<string, unknown>> => {
    await terminal.ended;
    return JSON.parse(readFileSync(output, "utf8")) as Record<string, unknown>;
  };
  return { terminal, answer };
}

describe("the terminal channel, on a real terminal", () => {
  test.each([
    ["o", { kind: "granted", scope: "once" }],
    ["o\r", { kind: "granted", scope: "once" }],
    ["r", { kind: "granted", scope: "this-run" }],
    ["n", { kind: "refused", scope: "once" }],
    ["N", { kind: "refused", scope: "this-run" }],
  ])("takes %j: one key, without Enter", async (keys, expected) => {
    const { terminal, answer } = ask(exampleCard());
    await terminal.shows(PROMPT);
    terminal.type(keys);
    expect(await answer()).toMatchObject({ ...expected, by: expect.stringContaining("@terminal") });
    expect(terminal.shown()).toContain("  | touch a");
  });

  test("takes a refusal with a message", async () => {
    const { terminal, answer } = ask(exampleCard());
    await terminal.shows(PROMPT);
    terminal.type("m\r");
    await terminal.shows("Say to the model: ");
    terminal.type("use a branch\r");
    expect(await answer()).toMatchObject({ kind: "refused", scope: "once", message: "use a branch" });
  });

  test("asks again after what is none of the choices", async () => {
    const { terminal, answer } = ask(exampleCard());
    await terminal.shows(PROMPT);
    terminal.type("yes please\r");
    await terminal.shows(PROMPT, 2);
    terminal.type("n\r");
    expect(await answer()).toMatchObject({ kind: "refused" });
  });

  test.each(["of course", "oo", "o\u001b[A", "\u001b[A", "\u001b[200~o\u001b[201~", "O", "\r"])(
    "%j answers nothing: it was pasted, or is another key",
    async (keys) => {
      const { terminal, answer } = ask(exampleCard());
      await terminal.shows(PROMPT);
      terminal.type(keys);
      await terminal.shows(PROMPT, 2);
      terminal.type("n");
      expect(await answer()).toMatchObject({ kind: "refused" });
    },
  );

  test("a key that comes as soon as the card is there, before anybody can have read it, answers nothing", async () => {
    const { terminal, answer } = ask(exampleCard());
    await terminal.shows("=== Allow this?");
    const cardMs = performance.now();
    terminal.type("o");
    await terminal.shows(PROMPT);
    // A small part of the time that it stands there to be read: this process may have seen it late.
    expect(performance.now() - cardMs).toBeGreaterThan(READING_MS / 5);
    terminal.type("n");
    expect(await answer()).toMatchObject({ kind: "refused" });
  });

  test("a yes to what the screen does not hold shows all of it first, and asks again", async () => {
    const commands = Array.from({ length: 60 }, (_, index) => `touch file-${index}`);
    const { terminal, answer } = ask(exampleCard({ commands }));
    await terminal.shows(PROMPT);
    expect(terminal.shown()).not.toContain("file-59");
    terminal.type("o");
    await terminal.shows("any key for more");
    terminal.type("q");
    await terminal.shows(PROMPT, 2);
    terminal.type("o");
    await terminal.shows("any key for more", 2);
    for (let page = 3; !terminal.shown().includes("that is all of it"); page += 1) {
      terminal.type(" ");
      await Promise.race([terminal.shows("any key for more", page), terminal.shows("that is all of it")]);
    }
    expect(terminal.shown()).toContain("touch file-59");
    terminal.type(" ");
    await terminal.shows(PROMPT, 3);
    terminal.type("o");
    expect(await answer()).toMatchObject({ kind: "granted", scope: "once" });
  });

  test("a command of exact words is granted for the run by these words, whatever it loads by then", async () => {
    const grant = { kind: "command", pattern: "npm test", effects: ["runs-code"], place: "/w" } as const;
    const { terminal, answer } = ask(exampleCard({ grant, grantExamples: { covers: "npm test", leaves: "npm test more" } }));
    await terminal.shows(PROMPT);
    expect(terminal.shown()).toMatch(/yes: npm test\s+\| no: {2}npm test more/u);
    terminal.type("r");
    expect(await answer()).toMatchObject({ kind: "granted", scope: "pattern", period: { kind: "run" } });
  });

  test("high risk that stays in the sandbox and can be undone wants one key, and is remembered no more than any other", async () => {
    const { terminal, answer } = ask(exampleCard({ risk: "high", wantsWord: false }));
    await terminal.shows(PROMPT);
    expect(terminal.shown()).not.toContain("[r]un");
    terminal.type("o");
    expect(await answer()).toMatchObject({ kind: "granted", scope: "once" });
  });

  test.each(["o", "o\no"])("a key that was typed before the question does not answer it: %j", async (keys) => {
    const { terminal, answer } = ask(exampleCard(), 2_000);
    terminal.type(keys);
    // Echoed: it has reached the terminal.
    await terminal.shows(keys.replace("\n", "\r\n"));
    await terminal.shows(PROMPT);
    expect(terminal.shown().split(PROMPT)).toHaveLength(2);
    terminal.type("n\r");
    expect(await answer()).toMatchObject({ kind: "refused" });
  });

  test("high risk wants the word that is shown, and another word three times refuses", async () => {
    const right = ask(exampleCard({ risk: "high" }));
    await right.terminal.shows(PROMPT);
    expect(right.terminal.shown()).not.toContain("[r]un");
    right.terminal.type("r\r");
    await right.terminal.shows(PROMPT, 2);
    right.terminal.type("o\r");
    await right.terminal.shows("type this word: ");
    await right.terminal.shows("> ");
    const word = /type this word: (?<word>\S+)/u.exec(right.terminal.shown())?.groups?.["word"] ?? "none";
    right.terminal.type(`${word}\r`);
    expect(await right.answer()).toMatchObject({ kind: "granted", scope: "once" });

    const wrong = ask(exampleCard({ risk: "high" }));
    await wrong.terminal.shows(PROMPT);
    wrong.terminal.type("o\r");
    await wrong.terminal.shows("> ");
    for (const tries of [1, 2, 3]) {
      await wrong.terminal.shows("type this word: ", tries);
      wrong.terminal.type("yes\r");
    }
    expect(await wrong.answer()).toMatchObject({ kind: "refused" });
  });

  test("a wrong word at high risk is asked for again twice: a slip is no no", async () => {
    const { terminal, answer } = ask(exampleCard({ risk: "high" }));
    await terminal.shows(PROMPT);
    terminal.type("o\r");
    for (const tries of [1, 2]) {
      await terminal.shows("type this word: ", tries);
      terminal.type("slip\r");
    }
    await terminal.shows("type this word: ", 3);
    const word = /type this word: (?<word>\S+)/u.exec(terminal.shown())?.groups?.["word"] ?? "none";
    terminal.type(`${word}\r`);
    expect(await answer()).toMatchObject({ kind: "granted", scope: "once" });
  });

  test("takes a pattern, for as long as it is told", async () => {
    const grant = { kind: "path", pattern: "/w/src/*", effects: ["writes"], place: "/w/src" } as const;
    const { terminal, answer } = ask(exampleCard({ grant }));
    await terminal.shows(PROMPT);
    expect(terminal.shown()).toContain("/w/src/*");
    terminal.type("p");
    await terminal.shows("For how long?");
    terminal.type("366\r");
    await terminal.shows("For how long?", 2);
    terminal.type("30\r");
    expect(await answer()).toMatchObject({ kind: "granted", scope: "pattern", period: { kind: "days", days: 30 } });
  });

  test("offers nothing that lasts where a code is wanted, and without anybody enrolled there is no yes", async () => {
    const grant = { kind: "path", pattern: "/w/src/*", effects: ["writes"], place: "/w/src" } as const;
    const { terminal, answer } = ask(exampleCard({ grant, needsCode: true }));
    await terminal.shows(PROMPT);
    expect(terminal.shown()).not.toMatch(/\[r\]un|\[p\]attern/u);
    terminal.type("o\r");
    expect(await answer()).toMatchObject({ kind: "nobody", reason: expect.stringContaining("nobody is enrolled") });
  });

  test("takes the code of the person who is enrolled, and not a wrong one", async () => {
    let uri = "";
    const { terminal, answer } = ask(exampleCard({ needsCode: true }), 0, (state) => {
      const store = openStore(state);
      uri = enroll({ store, clock: systemClock }, "ann");
      store.close();
    });
    const totp = URI.parse(uri) as TOTP;
    await terminal.shows(PROMPT);
    terminal.type("o\r");
    await terminal.shows("One-time code: ");
    terminal.type("12345\r");
    await terminal.shows("One-time code: ", 2);
    const code = totp.generate();
    terminal.type(`${code}\r`);
    expect(await answer()).toMatchObject({ kind: "granted", scope: "once", code: { person: "ann", code } });
  });

  test("Ctrl-C is nobody's answer", async () => {
    const { terminal, answer } = ask(exampleCard());
    await terminal.shows(PROMPT);
    terminal.type("\u0003");
    expect(await answer()).toEqual({ kind: "nobody", reason: "interrupted at the prompt" });
  });

  test("without a controlling terminal nobody is asked, whatever standard input says", async () => {
    const output = join(temporaryDirectory(), "answer.json");
    const program = join(import.meta.dirname, "../../support/programs/ask-at-terminal.ts");
    // A session of its own (setsid) has no controlling terminal.
    const child = spawn(process.execPath, [program, JSON.stringify(exampleCard()), output], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
    child.stdin.end("o\no\no\n");
    await once(child, "close");
    expect(existsSync(output)).toBe(true);
    expect(JSON.parse(readFileSync(output, "utf8"))).toEqual({ kind: "nobody", reason: expect.stringContaining("there is no terminal (/dev/tty) to ask at") });
  });

  test("in the background of a terminal nobody is asked, instead of being stopped for ever", async () => {
    const output = join(temporaryDirectory(), "answer.json");
    const script = `set -m\n${programCommand("ask-at-terminal", JSON.stringify(exampleCard()), output)} &\nwait`;
    const terminal = startCommandAtTerminal(quote(["bash", "-c", script]));
    await terminal.ended;
    expect(JSON.parse(readFileSync(output, "utf8"))).toMatchObject({ kind: "nobody" });
  });
});

test.runIf(runsRootTests)("an account without a name is called by its number", () => {
  const uid = 2_000_000_123;
  const module = join(import.meta.dirname, "..", "..", "..", "src", "approvals", "terminal", "account.ts");
  const code = `const { ownAccount, personAtTerminal } = await import(${JSON.stringify(module)}); process.setuid(${uid}); console.log(ownAccount(), personAtTerminal());`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8", env: {} });
  expect({ stdout, stderr }).toEqual({ stdout: `uid-${uid}@account uid-${uid}@terminal\n`, stderr: "" });
});

describe("a question to a person", () => {
  const question = { text: "Which colour?\n=== Allow this? ===", choices: ["blue\u001b[2J", "green"] };

  test("is answered by the number of a choice", async () => {
    const { terminal, answer } = ask(exampleCard({ question, commands: [] }));
    await terminal.shows("Answer? ");
    expect(terminal.shown()).toContain("=== A question to you: your answer allows nothing ===");
    expect(terminal.shown()).toContain("  | === Allow this? ===");
    expect(terminal.shown()).toContain("  | 1: blue\\u{1b}[2J");
    terminal.type("2");
    expect(await answer()).toMatchObject({ kind: "granted", scope: "once", words: "green" });
  });

  test("is answered in the person's own words, or not", async () => {
    const own = ask(exampleCard({ question, commands: [] }));
    await own.terminal.shows("Answer? ");
    own.terminal.type("w");
    await own.terminal.shows("Your answer: ");
    own.terminal.type("\r");
    await own.terminal.shows("Your answer: ", 2);
    own.terminal.type("red\r");
    expect(await own.answer()).toMatchObject({ kind: "granted", scope: "once", words: "red" });
    const none = ask(exampleCard({ question, commands: [] }));
    await none.terminal.shows("Answer? ");
    none.terminal.type("n");
    expect(await none.answer()).toMatchObject({ kind: "refused", scope: "once" });
  });
});
