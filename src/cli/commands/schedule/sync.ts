import { openRecords } from "../../../app/records/records.ts";
import { carryOut, isAsPlanned, planSchedule, type SchedulePlan } from "../../../app/schedule/plan.ts";
import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import type { Job } from "../../../schedule/job.ts";
import { EXIT } from "../../process/exit-code.ts";
import { jobText } from "../../view/job.ts";
import { paint } from "../../view/style.ts";
import { confirm } from "../../input/confirmation.ts";

export type SyncOptions = { readonly check?: boolean; readonly json?: boolean };

/**
 * `warder schedule sync FILE`: makes the jobs what a reviewed file declares, once a person at a terminal saw what changes. With `--check`
 * nothing changes: exit 0 when the jobs are as the file says, 1 when they are not.
 */
export async function sync(path: string, options: SyncOptions): Promise<number> {
  const records = openRecords();
  try {
    const plan = planSchedule(records, path);
    const isAsItSays = isAsPlanned(plan);
    if (options.json === true) process.stdout.write(`${visibleJson({ isAsItSays, ...plan })}\n`);
    else if (isAsItSays) process.stdout.write(`The jobs are as ${makeVisibleLine(plan.source)} says.\n`);
    else if (options.check === true) process.stdout.write(planText(plan));
    if (isAsItSays) return EXIT.done;
    if (options.check === true) return EXIT.failed;
    await confirm(planText(plan), "sync", "The jobs stay as they are.");
    carryOut(records, plan, personAtTerminal());
    if (options.json === true) return EXIT.done;
    process.stdout.write(
      `${plan.added.length} added, ${plan.changed.length} changed, ${plan.removed.length} removed, ${plan.kept.length} as they were. They run while "warder schedule daemon" does, or by a line in your crontab: * * * * * warder schedule run\n`,
    );
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function planText({ source, sha256, added, changed, removed, kept }: SchedulePlan): string {
  return [
    `${makeVisibleLine(source)} (sha256 ${sha256.slice(0, 12)}) declares the jobs that run by themselves, unattended. What changes:\n`,
    ...added.map((job) => `${paint("green", "added")} ${job.name}\n${jobText(job)}`),
    ...changed.map(({ now, differs }) => `${paint("yellow", "changed")} ${now.name}\n${lines(differs)}`),
    ...removed.map((job) => `${paint("red", "removed")} ${job.name}\n${jobText(job)}`),
    ...kept.map(({ was, now }) => `as it is ${now.name}${heldText(was)}\n`),
  ].join("");
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${makeVisibleLine(text)}\n`).join("");
}

function heldText({ heldBecause }: Job): string {
  return heldBecause === null ? "" : `, and no longer held: ${makeVisibleLine(heldBecause)}`;
}
