import { watch, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { keepUndecided, testPolicy, type SuiteReport } from "../../../app/policy/suite.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { policyPath } from "../../../config/policy/files.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { suiteHtml } from "../../view/policy/suite-html.ts";
import { suiteText, survivors } from "../../view/policy/suite.ts";

export type PolicyTestOptions = { workspace?: string; json?: boolean; mutate?: boolean; html?: string; watch?: boolean; snapshot?: boolean };

/** An editor writes a file in several steps. */
const PAUSE_MS = 100;

/** `warder policy test FILE`: the suite beside the policy. Exit 0 when every case is decided as it says and, with `--mutate`, no change goes unnoticed; else 1. */
export async function testPolicyFile(file: string, options: PolicyTestOptions): Promise<number> {
  if (options.watch !== true) return await testOnce(file, options);
  return await withInterrupt(async (signal) => await testAgainAndAgain(file, options, signal));
}

async function testOnce(file: string, { workspace, json = false, mutate = false, html, snapshot = false }: PolicyTestOptions): Promise<number> {
  const tested = await testPolicy(file, { isMutated: mutate, ...(workspace === undefined ? {} : { workspace }) });
  const { requests } = tested.undecided;
  const report = snapshot ? { ...tested, undecided: { requests } } : tested;
  const kept = snapshot ? keepUndecided(file, requests) : undefined;
  if (html !== undefined) write(html, suiteHtml(basename(file), report));
  process.stdout.write(json ? `${visibleJson(report)}\n` : suiteText(report));
  if (!json) for (const path of [kept, html]) if (path !== undefined) process.stdout.write(`Written: ${makeVisibleLine(path)}\n`);
  if (mutate && report.mutants === undefined && !json) process.stdout.write("No change of the policy was tried: mend what failed first.\n");
  return isGreen(report) ? EXIT.done : EXIT.failed;
}

function isGreen(report: SuiteReport): boolean {
  const { decided = [], undecided = [] } = report.undecided.since ?? {};
  return report.cases.every(({ isMet }) => isMet) && survivors(report).length === 0 && decided.length + undecided.length === 0;
}

/** After each change in the policy's directory, until it is interrupted. What cannot be read is said, and the next change tries again. */
async function testAgainAndAgain(file: string, options: PolicyTestOptions, signal: AbortSignal): Promise<number> {
  const changed = watched(dirname(policyPath(file, process.cwd())), signal);
  while (!signal.aborted) {
    try {
      await testOnce(file, options);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      process.stdout.write(`${makeVisible(error.message)}\n`);
    }
    process.stdout.write("-- waiting for a change; Ctrl-C ends it --\n");
    await changed();
  }
  return EXIT.done;
}

/** Resolves at the next change of a YAML file there, once it is quiet, or when the signal fires. */
function watched(directory: string, signal: AbortSignal): () => Promise<void> {
  let isChanged = false;
  let wake = (): void => undefined;
  const note = (): void => {
    isChanged = true;
    wake();
  };
  watch(directory, { signal }, (_event, name) => {
    if (name === null || /\.ya?ml$/u.test(name)) note();
  });
  signal.addEventListener("abort", note, { once: true });
  return async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    wake = () => {
      resolve(undefined);
    };
    if (!isChanged) await promise;
    if (!signal.aborted) await pause(PAUSE_MS);
    isChanged = false;
  };
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new AgentError("bad-configuration", `${file} cannot be written: ${error instanceof Error ? error.message : "unknown fault"}`, {
      cause: error,
      remedy: "Name another file, or see who may write in its directory.",
    });
  }
}
