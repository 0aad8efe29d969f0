import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { type EmulatedTerminal, warderInTerminal } from "../support/emulated-terminal.ts";
import { place, script } from "../support/test-place.ts";
import { type Place, warder, writePolicy } from "../support/warder-cli.ts";

const SLOW = { timeout: 600_000 };
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
      .replace(/^((?:\/help|Ctrl-C stops) · .*policy \w+).*/u, "$1"),
  );
  // What is said of the sandbox is another thing on another machine.
  return rows
    .join("\n")
    .replace(/^policy \w+ \(sha256:[^]*? hold(?:,.*)?$/mu, "(the sandbox)")
    .trimEnd();
}

const BAR = "─".repeat(80);

describeWithDocker("a conversation at a terminal", () => {
  test("is one run: messages, a question answered by a key, changes landed by a key", SLOW, async () => {
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
    await terminal.shows(/^\/help · policy asking$/u);
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
${BAR}

${BAR}
/help · 1 change to /apply · N tokens · policy asking`,
    );
    expect(existsSync(join(here.workspace, "one.txt"))).toBe(false);

    terminal.type("Deploy it.\r");
    await terminal.shows(/^Allow\?$/u);
    await new Promise((resolve) => setTimeout(resolve, 700));
    terminal.type("o");
    await terminal.shows(/It is deployed\./u);
    await terminal.shows(/^\/help · 1 change/u);
    expect(terminal.all().some((row) => /granted by \S+@terminal/u.test(row))).toBe(true);

    terminal.type("/apply\r");
    await terminal.shows(/^Land it\?$/u);
    await new Promise((resolve) => setTimeout(resolve, 700));
    terminal.type("l");
    await terminal.shows(/^1 change landed\. Nothing waits\.$/u);
    expect(readFileSync(join(here.workspace, "one.txt"), "utf8")).toBe("one\n");
    await terminal.shows(/^\/help · \d+ tokens/u);

    terminal.type("/quit\r");
    expect((await terminal.ended).exitCode).toBe(0);
    expect(terminal.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: readonly { id: string; state: string }[] };
    expect(runs.map(({ state }) => state)).toEqual(["done"]);
    await terminal.shows(new RegExp(`^Go on: warder chat --resume ${runs[0]?.id ?? ""}$`, "u"));
  });
});

test("a conversation without a terminal is refused, and says what works without one", async () => {
  const here = place();
  const end = await warder(here, ["chat", "--model", "scripted:none.yaml"]);
  expect(end).toMatchObject({ exitCode: 2, stdout: "" });
  expect(end.stderr).toContain("A conversation needs a terminal that can move its cursor.\n  Without one: warder run");
});
