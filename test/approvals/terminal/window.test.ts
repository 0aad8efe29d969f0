import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createScreen } from "../../support/screen.ts";
import { programCommand, startCommandAtTerminal } from "../../support/terminal-session.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";
import { until } from "../../support/until.ts";
import { exampleCard } from "../example-card.ts";

type Size = readonly [columns: number, rows: number];

const TITLE = "=== Allow this?";
const PROMPT = "Allow? ";
const COLOURED = "env -u NO_COLOR -u FORCE_COLOR -u CI TERM=xterm-256color";

const DIFF = ["@@ -1,200 +1,400 @@", ...Array.from({ length: 400 }, (_, index) => `${index % 2 === 0 ? "-" : "+"}line ${index}`)].join("\n");
const CARD = exampleCard({ tool: "edit_file", commands: [], change: { path: "/w/long.txt", diff: DIFF, isNew: false } });

/** The question at a pseudo-terminal whose window can be drawn larger or smaller. */
function askInWindow(size: Size, environment: string, card = CARD) {
  const place = temporaryDirectory();
  const output = join(place, "answer.json");
  const device = join(place, "device");
  const sized = ([columns, rows]: Size): string[] => ["cols", String(columns), "rows", String(rows)];
  const command = `tty >${device}; stty ${sized(size).join(" ")}; ${environment} ${programCommand("ask-at-terminal", JSON.stringify(card), output)}`;
  const terminal = startCommandAtTerminal(command);
  return {
    terminal,
    resize: (next: Size) => void execFileSync("stty", ["-F", readFileSync(device, "utf8").trim(), ...sized(next)]),
    answer: async (): Promise<unknown> => {
      await terminal.ended;
      return JSON.parse(readFileSync(join(dirname(output), "answer.json"), "utf8"));
    },
    /** The card that was drawn last, on a fresh screen of this size. */
    drawn: ([columns, rows]: Size): { readonly rows: readonly string[]; readonly above: readonly string[] } => {
      const shown = terminal.shown();
      const screen = createScreen(columns, rows);
      screen.write(shown.slice(shown.lastIndexOf(TITLE)));
      return { rows: screen.rows(), above: screen.above };
    },
  };
}

function folded(rows: readonly string[]): number {
  return Number(/\.\.\. (?<count>[0-9]+) more rows: \[v\]iew/u.exec(rows.join("\n"))?.groups?.["count"]);
}

test("a card is drawn anew for each size that its window gets, and one key still answers", async () => {
  const { terminal, resize, answer, drawn } = askInWindow([80, 24], "env NO_COLOR=1");
  await terminal.shows(PROMPT);
  const usual = folded(drawn([80, 24]).rows);
  expect(usual).toBeGreaterThan(300);
  const changes: readonly (readonly [Size, (folded: number) => boolean])[] = [
    [[60, 15], (now) => now > usual],
    [[120, 40], (now) => now < usual],
  ];
  for (const [size, isDrawn] of changes) {
    resize(size);
    // `stty` sets rows and columns one after the other: two windows, each with its card.
    await until(`a card for ${size.join(" by ")}`, () => terminal.shown().endsWith(PROMPT) && isDrawn(folded(drawn(size).rows)));
    const { rows, above } = drawn(size);
    expect(above).toEqual([]);
    expect(rows[0]).toContain(TITLE);
    expect(rows.findLast((row) => row !== "")).toBe(PROMPT.trim());
  }
  terminal.type("n");
  expect(await answer()).toMatchObject({ kind: "refused", scope: "once" });
});

test("a window that gets smaller before anybody can have read the card has it drawn anew before a key counts", async () => {
  const { terminal, resize, answer, drawn } = askInWindow([120, 40], "env NO_COLOR=1");
  await terminal.shows(TITLE);
  resize([60, 15]);
  await terminal.shows(PROMPT);
  await until("the card fits the small window", () => drawn([60, 15]).above.length === 0 && terminal.shown().endsWith(PROMPT));
  terminal.type("n");
  expect(await answer()).toMatchObject({ kind: "refused" });
});

test("a diff is coloured at a terminal that has colours, and the mark before its rows is not", async () => {
  const { terminal, answer } = askInWindow([80, 24], COLOURED);
  await terminal.shows(PROMPT);
  const rows = terminal.shown().split(/\r*\n/u);
  expect(rows).toContain("  | \u001b[31m-line 0\u001b[39m");
  expect(rows).toContain("  | \u001b[32m+line 1\u001b[39m");
  expect(rows).toContain("  | \u001b[36m@@ -1,200 +1,400 @@\u001b[39m");
  terminal.type("n");
  await answer();
});

test.each(["env NO_COLOR=1 TERM=xterm-256color", "env -u FORCE_COLOR TERM=dumb"])("there is no colour with %s", async (environment) => {
  const { terminal, answer } = askInWindow([80, 24], environment);
  await terminal.shows(PROMPT);
  expect(terminal.shown()).toContain("  | -line 0");
  expect(terminal.shown()).not.toContain("\u001b[3");
  terminal.type("n");
  await answer();
});

test("a page that a window got too small for begins anew, and only what fits the window counts as seen", async () => {
  const { terminal, resize, answer } = askInWindow([80, 24], "env NO_COLOR=1");
  await terminal.shows(PROMPT);
  terminal.type("v");
  await terminal.shows("-- 22 of ");
  resize([40, 12]);
  terminal.type(" ");
  await terminal.shows("-- the window has another size: from the top --");
  await terminal.shows("-- 9 of ");
  const shown = terminal.shown();
  const anew = createScreen(40, 12);
  anew.write(shown.slice(shown.indexOf("from the top --") + "from the top --".length).trimStart());
  expect(anew.above).toEqual([]);
  expect(anew.rows().join("\n")).toContain("line 1");
  terminal.type("q");
  await until("the question is asked again", () => terminal.shown().endsWith(PROMPT));
  terminal.type("n");
  expect(await answer()).toMatchObject({ kind: "refused" });
});

const HARD: readonly (readonly [name: string, size: Size, card: Parameters<typeof exampleCard>[0], end: string])[] = [
  ["wide characters", [24, 10], { commands: [`touch ${"漢字🎉".repeat(40)}終わり`] }, "終わり"],
  [
    "all that a card can say",
    [40, 12],
    {
      risk: "high",
      wantsWord: false,
      commands: Array.from({ length: 20 }, (_, index) => `curl -d @file-${String(index)} https://host-${String(index)}.example`),
      hosts: Array.from({ length: 20 }, (_, index) => `host-${String(index)}.example`),
      env: { LONG_NAME_OF_A_VARIABLE: "v".repeat(200) },
      effects: Array.from({ length: 20 }, (_, index) => `ask: sends: sends file-${String(index)}`),
      pointless: "The policy has no network.",
    },
    "host-19.example",
  ],
];

test.each(HARD)("%s: the card fits a small window, and so does each of its pages", async (_name, size, changes, end) => {
  const { terminal, answer } = askInWindow(size, "env NO_COLOR=1", exampleCard(changes));
  const [columns, rows] = size;
  const asked = (): boolean => terminal.shown().endsWith(PROMPT);
  const seen: string[] = [];
  const look = (from: number): void => {
    const screen = createScreen(columns, rows);
    screen.write(terminal.shown().slice(from).trimStart());
    expect(screen.above).toEqual([]);
    seen.push(...screen.rows());
  };
  await until("the question", asked);
  look(terminal.shown().indexOf(TITLE));
  for (let from = terminal.shown().length, key = "v"; ; key = " ") {
    terminal.type(key);
    await until("the next page", () => terminal.shown().slice(from).endsWith(" --"));
    look(from);
    from = terminal.shown().length;
    if (terminal.shown().endsWith("for the question --")) break;
  }
  expect(seen.join("").replaceAll(/\s|\|/gu, "")).toContain(end);
  terminal.type(" ");
  await until("the question again", asked);
  terminal.type("n");
  expect(await answer()).toMatchObject({ kind: "refused" });
});
