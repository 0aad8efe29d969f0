import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "shell-quote";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace, warder, type Place } from "../support/warder-cli.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "guides", "unattended.md"), "utf8");

/** The commands of the guide, each with what stands behind it. */
const COMMANDS = [...GUIDE.matchAll(/^\$ warder (?<command>.*?)(?: {3}# (?<note>.*))?$/gmu)].map(({ groups }) => ({
  command: groups?.["command"] ?? "",
  note: groups?.["note"] ?? "",
}));

type Followed = { readonly command: string; readonly exitCode: number | null; readonly wanted: number; readonly shown: string };

async function follow(here: Place, { command, note }: (typeof COMMANDS)[number]): Promise<Followed> {
  const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { id: string; parkedOn: string | null }[] };
  const words = parse(command, { RUN: runs[0]?.id ?? "", APPROVAL: runs[0]?.parkedOn ?? "" }).map(String);
  const typed = /^at a terminal: (?<keys>.*)$/u.exec(note)?.groups?.["keys"];
  if (typed === undefined) {
    const { exitCode, stdout } = await warder(here, words);
    return { command, exitCode, wanted: Number(/exits (?<code>\d+)/u.exec(note)?.groups?.["code"] ?? 0), shown: stdout };
  }
  const terminal = warderAtTerminal(here, words);
  await terminal.shows(/Allow\?/u);
  terminal.type(`${typed}\r`);
  return { command, exitCode: await terminal.ended, wanted: 0, shown: terminal.screen() };
}

describeWithDocker("the guide to unattended runs", () => {
  test("is a walk that can be walked as it stands", { timeout: 180_000 }, async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    for (const [, name = "", text = ""] of GUIDE.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/gu)) writeFileSync(join(here.root, name), text);
    writeFileSync(join(here.workspace, "old.log"), "old");
    expect(COMMANDS).toHaveLength(8);
    const shown: string[] = [];
    for (const command of COMMANDS) {
      const end = await follow(here, command);
      expect([end.command, end.exitCode]).toEqual([end.command, end.wanted]);
      shown.push(end.shown);
    }
    expect(shown[0]).toMatch(/Summary of run-[\s\S]*Parked \(1\)[\s\S]*effects: \{ deletes: allow \}/u);
    expect(shown[6]).toContain("the old log is gone");
    expect(readFileSync(join(here.workspace, "report.txt"), "utf8")).toBe("All is well.");
  });
});
