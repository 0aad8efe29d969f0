import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { type EmulatedTerminal, warderInTerminal } from "../support/emulated-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { startToldModel, textOf } from "../support/told-model.ts";
import { until } from "../support/until.ts";
import { type Place, warder, writePolicy } from "../support/warder-cli.ts";

const ASKING = `version: 1
name: asking
extends: reviewed
commands:
  rules:
    - { id: ask-deploy, ask: "echo deploy", because: "A person says when.", match: ["echo deploy"], not-match: ["echo"] }
`;

/** What is on the screen, with what differs from run to run in fixed words. */
function picture(terminal: EmulatedTerminal, here: Place): string {
  const rows = terminal.rows().map((row) =>
    row
      .replaceAll(here.workspace, "WORKSPACE")
      .replaceAll(/run-[a-z0-9]{12}/gu, "RUN")
      .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "*")
      .replaceAll(/\d+(?:\.\d+)? (?:ms|s)\b/gu, "TIME")
      .replaceAll(/\d+ tokens/gu, "N tokens")
      .replace(/^(── (?:\/help|Ctrl-C stops) · .*policy \w+).*/u, "$1"),
  );
  // What is said of the sandbox is another thing on another machine.
  return rows
    .join("\n")
    .replace(/^policy \w+ \(sha256:[^]*? hold(?:,.*)?$/mu, "(the sandbox)")
    .trimEnd();
}

describeWithDocker("a conversation at a terminal", () => {
  test("is one run: messages, a question answered by a key, changes landed by a key", async () => {
    const here = place();
    const policy = writePolicy(here, "asking", ASKING);
    const model = script(
      here,
      `protocol: anthropic
turns:
  - say: "Let me look.\\nIt says \\u001b[31mred\\u001b[0m."
    calls: [{ tool: shell, input: { command: "echo one > one.txt; printf 'a\\\\033[2Jb'" } }]
  - say: "One is made."
  - calls: [{ tool: shell, input: { command: "echo deploy" } }]
  - { when: { result-contains: "deploy" }, say: "It is deployed." }
`,
    );
    const terminal = warderInTerminal(here, ["chat", "--policy", policy, "--model", model], { environment: { NO_COLOR: "1" } });
    await terminal.shows(/^── \/help · policy asking ─+$/u);
    terminal.type("Make one.\r");
    await terminal.shows(/1 change to \/apply/u);
    expect(picture(terminal, here)).toBe(
      `Warder: /help says what can be typed.
WORKSPACE

> Make one.
(the sandbox)

  Let me look.
  It says \\u{1b}[31mred\\u{1b}[0m.
▸ shell  echo one > one.txt; printf 'a\\033[2Jb' · TIME

  One is made.
1 change waits: /changes shows, /apply lands.
── /help · 1 change to /apply · N tokens · policy asking`,
    );
    expect(existsSync(join(here.workspace, "one.txt"))).toBe(false);

    terminal.type("Deploy it.\r");
    await terminal.shows(/^Allow\?$/u);
    await new Promise((resolve) => setTimeout(resolve, 700));
    // Nothing else draws while it stands there.
    expect(terminal.rows().filter((row) => row.startsWith("──"))).toEqual([]);
    expect(terminal.rows().findLast((row) => row !== "")).toBe("Allow?");
    terminal.type("o");
    await terminal.shows(/It is deployed\./u);
    await terminal.shows(/^── \/help · 1 change/u);
    expect(terminal.all().some((row) => /granted by \S+@terminal/u.test(row))).toBe(true);

    terminal.type("/apply\r");
    await terminal.shows(/^Land it\?$/u);
    await new Promise((resolve) => setTimeout(resolve, 700));
    terminal.type("l");
    await terminal.shows(/^1 change landed\. Nothing waits\.$/u);
    expect(readFileSync(join(here.workspace, "one.txt"), "utf8")).toBe("one\n");
    await terminal.shows(/^── \/help · \d+ tokens/u);

    // What was typed last comes back by a key, and the landing is taken back.
    terminal.type("/undo\r");
    await terminal.shows(/^It waits for a review again: /u);
    expect(existsSync(join(here.workspace, "one.txt"))).toBe(false);
    await terminal.shows(/^── \/help · 1 change to \/apply/u);
    for (const before of [/^\/undo$/u, /^\/apply$/u, /^Deploy it\.$/u]) {
      terminal.type("\u001b[A");
      await terminal.shows(before);
    }
    terminal.type("\u0003");
    terminal.type("/resume\r");
    await terminal.shows(/^Go on with one: \/resume RUN$/u);
    // Not one colour.
    expect(terminal.written()).not.toMatch(/\u001b\[(?:[34]\d|9[0-7]|10[0-7]|[34]8;)/u);

    terminal.type("/quit\r");
    expect((await terminal.ended).exitCode).toBe(0);
    expect(terminal.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: readonly { id: string; state: string }[] };
    expect(runs.map(({ state }) => state)).toEqual(["done"]);
    await terminal.shows(new RegExp(`^Go on: warder chat --resume ${runs[0]?.id ?? ""}$`, "u"));
  });
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const PNG_URL = `data:image/png;base64,${PNG.toString("base64")}`;

/** The images of a conversation, as the protocol has them. */
function imagesIn(messages: readonly { readonly content?: unknown }[]): readonly string[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly { image_url?: { url: string } }[]) : []));
  return parts.flatMap(({ image_url: image }) => (image === undefined ? [] : [image.url]));
}

const PARTS = ["One is", " begun.\nTwo lines", " and a half"];

describeWithDocker("while a run works", () => {
  test("its words stream, a person is heard behind the results, Ctrl-C stops a call and twice the run, and what was said then comes first", async () => {
    await using model = await startToldModel();
    const here = place();
    const terminal = warderInTerminal(here, ["chat", "--model", model.name], { environment: model.environment });
    await terminal.shows(/^── \/help · policy reviewed ─+$/u);

    // Several lines, and what the model says as it comes; a window of another size loses nothing and draws nothing twice.
    writeFileSync(join(here.workspace, "view.png"), PNG);
    terminal.type("Look\naround @view.png.\r");
    const first = await model.asked();
    expect(first.messages.slice(-2).map(textOf)).toEqual(["Look\naround @view.png.", expect.stringContaining("view.png")]);
    expect(imagesIn(first.messages)).toEqual([PNG_URL]);
    await terminal.shows(/^With 1 image: view\.png$/u);
    for (const part of PARTS) first.say(part);
    await terminal.shows(/^ {2}Two lines and a half$/u);
    for (const [columns, rows] of [
      [60, 24],
      [100, 30],
      [80, 24],
    ] as const) {
      await terminal.resize(columns, rows);
      const isBar = (row: string): boolean => row.startsWith("── Ctrl-C stops") && row.length === columns;
      await until(
        "all is drawn for it",
        () =>
          terminal
            .rows()
            .filter((row) => row.includes("──"))
            .every(isBar),
        60_000,
      );
    }
    const count = (row: string): number => terminal.all().filter((each) => each === row).length;
    for (const row of ["> Look", "  One is begun.", "  Two lines and a half"]) expect([row, count(row)], terminal.all().join("\n")).toEqual([row, 1]);

    // Steering and what is said later; the call that goes on is one row.
    first.call("shell", { command: "echo started; sleep 600" });
    first.end();
    await terminal.shows(/^. shell {2}echo started; sleep 600.* │ started/u);
    terminal.type("Use tabs.\r");
    await terminal.shows(/^> Use tabs\. \(heard behind the next results\)$/u);
    terminal.type("/later Say bye.\r");
    await terminal.shows(/^> Say bye\. \(when it is done\)$/u);
    terminal.type("/apply\r");
    await terminal.shows(/^\/apply waits until the run has ended/u);
    terminal.type("\u0003");
    await terminal.shows(/^Stopping what runs; Ctrl-C again ends the run\.$/u);
    const second = await model.asked();
    expect(second.messages.slice(-2).map(({ role }) => role)).toEqual(["tool", "user"]);
    expect(textOf(second.messages.at(-2))).toMatch(/cancelled/iu);
    expect(second.last).toBe("Use tabs.");
    await terminal.shows(/^▸ shell {2}echo started; sleep 600.* · cancelled/u);
    await terminal.shows(/^ {2}\(the model has it\)$/u);
    second.say("Tabs.");
    second.end();
    const third = await model.asked();
    expect(third.last).toBe("Say bye.");
    third.say("Bye.");
    third.end();
    await terminal.shows(/^── \/help · \d+ tokens/u);

    // A long paste is folded, sent as a whole, and cannot write to the terminal.
    const pasted = Array.from({ length: 30 }, (_, line) => `line ${String(line)} \u001b[31mred\u009b2J`).join("\n");
    terminal.type(`\u001b[200~${pasted}\u001b[201~`);
    await terminal.shows(/^\[paste #1 \+30 lines\]/u);
    terminal.type("\r");
    const fourth = await model.asked();
    expect(fourth.last.split("\n")).toHaveLength(30);
    expect(fourth.last).toContain(String.raw`line 29 \u{1b}[31mred\u{9b}2J`);
    await terminal.shows(/^ {2}… 25 more lines$/u);

    // Twice: the run. It goes on with what is said next, which comes before anything else, and does not do what it had not begun.
    fourth.call("shell", { command: "echo again | tee again.txt; sleep 600" });
    fourth.call("shell", { command: "touch never.txt" });
    fourth.end();
    await terminal.shows(/^. shell {2}echo again.* │ again/u);
    terminal.type("\u0003");
    terminal.type("\u0003");
    await terminal.shows(/^Stopped\. Say what to do instead, or \/resume goes on with it\.$/u);
    terminal.type("Do less.\r");
    const fifth = await model.asked();
    expect(fifth.last).toBe("Do less.");
    expect(fifth.messages.filter(({ role }) => role === "tool")).toHaveLength(3);
    fifth.say("Less.");
    fifth.end();
    await terminal.shows(/^ {2}Less\.$/u);
    await terminal.shows(/1 change to \/apply/u);
    terminal.type("/changes\r");
    await terminal.shows(/^added {4}again\.txt/u);

    // A file that is dropped on the terminal goes along, as a picture; one that a longer text names wants another Enter.
    const dropped = join(here.root, "my shot.png");
    writeFileSync(dropped, PNG);
    terminal.type(`\u001b[200~'${dropped}'\u001b[201~`);
    await terminal.shows(/@"\/.*my shot\.png"/u);
    terminal.type("What is it?\r");
    const shown = await model.asked();
    expect(shown.messages.slice(-2).map(textOf)).toEqual([`@"${dropped}" What is it?`, expect.stringContaining("my shot.png")]);
    expect(imagesIn(shown.messages)).toEqual([PNG_URL, PNG_URL]);
    shown.say("A dot.");
    shown.end();
    await terminal.shows(/^── \/help · 1 change/u);
    terminal.type("\u001b[200~Fix this: see @view.png\u001b[201~\r");
    await terminal.shows(/^view\.png is named in what you pasted/u);
    terminal.type("\u0003");

    // Killed: the next process goes on with it.
    terminal.type("And more.\r");
    const sixth = await model.asked();
    sixth.call("shell", { command: "sleep 600" });
    sixth.call("shell", { command: "touch never.txt" });
    sixth.end();
    await terminal.shows(/^. shell {2}sleep 600/u);
    process.kill(terminal.pid, "SIGKILL");
    await terminal.ended;
    const next = warderInTerminal(here, ["chat", "--resume"], { environment: model.environment });
    await next.shows(/^> Look$/u);
    await next.shows(/^It was stopped on its way: \/resume goes on with it, or say what to do instead\.$/u);
    next.type("Look at it first.\r");
    const seventh = await model.asked();
    expect(seventh.last).toBe("Look at it first.");
    const results = seventh.messages.filter(({ role }) => role === "tool").slice(-2);
    expect(results.map(textOf)).toEqual([expect.stringMatching(/Interrupted: Warder ended/u), expect.stringMatching(/Skipped due to queued user message/u)]);
    seventh.call("shell", { command: "sleep 700" });
    seventh.end();
    await next.shows(/^. shell {2}sleep 700/u);

    // The window is closed: the run ends as one that can be gone on with.
    next.hangUp();
    await next.ended;
    const last = warderInTerminal(here, ["chat", "--resume"], { environment: model.environment });
    await last.shows(/^It was stopped on its way/u);
    last.type("/resume\r");
    const eighth = await model.asked();
    expect(textOf(eighth.messages.findLast(({ role }) => role === "tool"))).toMatch(/cancelled/iu);
    eighth.say("At last.");
    eighth.end();
    await last.shows(/^ {2}At last\.$/u);
    await last.shows(/^── \/help · 1 change to \/apply/u);
    last.type("/cost\r");
    await last.shows(/^\d+ turns, \d+ tokens, the price is not known$/u);
    last.type("\u0004");
    expect((await last.ended).exitCode).toBe(0);
    expect(last.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: readonly unknown[] };
    expect(runs).toEqual([expect.objectContaining({ task: "Look\naround @view.png.", state: "done", resumable: false })]);
    expect((await warder(here, ["audit", "verify"])).exitCode).toBe(0);
  });
});

test("without an engine a message says so, and comes back to be sent again", async () => {
  const here = place();
  const model = script(here, "protocol: anthropic\nturns:\n  - say: Done.\n");
  const terminal = warderInTerminal(here, ["chat", "--model", model], { environment: { DOCKER_HOST: `unix://${here.root}/none.sock` } });
  await terminal.shows(/^── \/help/u);
  writeFileSync(join(here.workspace, "view.png"), "");
  terminal.type("Go with @view.png\r");
  await terminal.shows(/^view\.png is not sent: it is no PNG, JPEG, GIF or WebP image\.$/u);
  terminal.type("\u0003Go with view.png\r");
  await terminal.shows(/^The model reads a name alone\. To send the image: @view\.png$/u);
  await terminal.shows(/engine|Docker/u);
  await until("the message is back", () => terminal.rows().at(-3) === "Go with view.png" || terminal.rows().some((row) => row === "Go with view.png"));
  terminal.type("\u0003");
  terminal.type("/quit\r");
  expect((await terminal.ended).exitCode).toBe(0);
});

test("warder alone begins one at a terminal in a project, with a model; anywhere else it prints its help", async () => {
  const here = place();
  const environment = { WARDER_MODEL: script(here, "protocol: anthropic\nturns:\n  - say: Done.\n") };
  const elsewhere = warderInTerminal(here, [], { environment });
  await elsewhere.shows(/^Usage: warder/u);
  const { exitCode } = await elsewhere.ended;
  mkdirSync(join(here.workspace, ".git"));
  const withoutModel = warderInTerminal(here, [], { environment: { WARDER_MODEL: "" } });
  await withoutModel.shows(/^Usage: warder/u);
  const dumb = warderInTerminal(here, [], { environment: { ...environment, TERM: "dumb" } });
  expect((await dumb.ended).exitCode).toBe(exitCode);
  expect(dumb.all()).toContainEqual(expect.stringMatching(/^Usage: warder/u));
  const terminal = warderInTerminal(here, [], { environment });
  await terminal.shows(/^── \/help · policy reviewed/u);
  terminal.type("/policy\r");
  await terminal.shows(/^reviewed \(sha256:[0-9a-f]{12}…\), autonomy full$/u);
  terminal.type("\u0004");
  expect((await terminal.ended).exitCode).toBe(0);
  const piped = await warder(here, [], { environment });
  expect(piped.exitCode).toBe(exitCode);
  expect(piped.stdout + piped.stderr).toContain("Usage: warder");
});

test("a terminal that cannot move its cursor is refused", async () => {
  const here = place();
  const terminal = warderInTerminal(here, ["chat", "--model", "scripted:none.yaml"], { environment: { TERM: "dumb" } });
  await terminal.shows(/A conversation needs a terminal that can move its cursor/u);
  expect((await terminal.ended).exitCode).toBe(2);
});

test("a conversation without a terminal is refused, and says what works without one", async () => {
  const here = place();
  const end = await warder(here, ["chat", "--model", "scripted:none.yaml"]);
  expect(end).toMatchObject({ exitCode: 2, stdout: "" });
  expect(end.stderr).toContain("A conversation needs a terminal that can move its cursor.\n  Without one: warder run");
});
