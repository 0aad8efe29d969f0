import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace } from "../support/warder-cli.ts";

const CHECKOUT = join(import.meta.dirname, "..", "..");
/** The home and the run of whoever wrote the page. */
const WRITER = { home: "/home/ann", run: /run-[a-z0-9]{12}/u };

/** Each command of the page's consoles, and what a reader then sees; a line `…` stands for any lines. */
function stepsOf(page: string): readonly { readonly command: string; readonly shown: string }[] {
  return [...page.matchAll(/^```console\n([\s\S]*?)^```$/gmu)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /mu)
      .slice(1)
      .map((step) => ({ command: step.slice(0, step.indexOf("\n")), shown: step.slice(step.indexOf("\n") + 1) })),
  );
}

/** What a page says differs from machine to machine by this alone: a home's name, a run's, and numbers that follow from the length of paths. */
const plain = (text: string, home: string): string =>
  text
    .replaceAll(home, "HOME")
    .replaceAll(new RegExp(WRITER.run, "gu"), "RUN")
    .replaceAll(/\d+ (?=tokens|records)/gu, "");

function patternOf(shown: string): RegExp {
  const quoted = plain(shown, WRITER.home).replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(`^${quoted.replaceAll(/^…\n/gmu, String.raw`[\s\S]*`)}$`, "u");
}

describeWithDocker("the start page", () => {
  test("shows what its commands print", () => {
    const place = makePlace();
    onTestFinished(() => place.remove());
    symlinkSync(CHECKOUT, join(place.home, "warder"));
    const env = { ...process.env, HOME: place.home, WARDER_HOME: place.state, NO_COLOR: "1", PATH: `${CHECKOUT}/bin:${process.env["PATH"] ?? ""}` };
    const steps = stepsOf(readFileSync(join(CHECKOUT, "docs/start.md"), "utf8"));
    expect(steps.length).toBeGreaterThan(6);
    let cwd = place.home;
    let run = "";
    for (const { command, shown } of steps) {
      const { stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", command.replace(WRITER.run, run)], { cwd, env, encoding: "utf8" });
      expect(plain(stdout, place.home), command).toMatch(patternOf(shown));
      cwd = join(place.home, "shop");
      run ||= WRITER.run.exec(stdout)?.[0] ?? "";
    }
  });
});
