import { installedLines, planInstall, type PlannedChange, planUninstall } from "../../../app/foreign/install.ts";
import { tryHook } from "../../../app/foreign/try-hook.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { AGENT_NAMES, type AgentName, DIALECTS, isAgentName } from "../../../foreign/dialects.ts";
import { confirm } from "../../input/confirmation.ts";
import { EXIT } from "../../process/exit-code.ts";
import { paint } from "../../view/style.ts";

export type InstallOptions = { project?: boolean; policy: string; shadow?: boolean; yes?: boolean };

/** `warder hook install AGENT`: shows the change of the agent's configuration, and makes it when a person says so. */
export async function installHook(agent: string, { project, policy, shadow, yes }: InstallOptions): Promise<number> {
  const name = agentNamed(agent);
  const plan = planInstall(name, { project: project === true ? process.cwd() : null, policy, isShadow: shadow === true });
  const isMade = await make(plan, { isConfirmed: yes === true, what: `the hook of ${DIALECTS[name].title}` });
  if (isMade) print([...plan.notes.map((note) => `note: ${note}`), `Check it: warder hook doctor ${name}`]);
  return EXIT.done;
}

/** `warder hook uninstall AGENT`: takes the hook out again. */
export async function uninstallHook(agent: string, { project, yes }: Pick<InstallOptions, "project" | "yes">): Promise<number> {
  const name = agentNamed(agent);
  await make(planUninstall(name, project === true ? process.cwd() : null), { isConfirmed: yes === true, what: `the hook of ${DIALECTS[name].title}` });
  return EXIT.done;
}

/** `warder hook doctor [AGENT]`: gives each installed line a call that no policy allows, as the agent would. Exit code 0 if each blocks it. */
export function hookDoctor(agent: string | undefined): number {
  const names = agent === undefined ? AGENT_NAMES : [agentNamed(agent)];
  let exitCode: number = EXIT.done;
  for (const name of names) {
    const lines = installedLines(name, process.cwd());
    if (lines.length === 0) {
      print([`${DIALECTS[name].title}: no hook is installed: warder hook install ${name}`]);
      if (agent !== undefined) exitCode = EXIT.failed;
    }
    for (const { path, line, isWhole } of lines) {
      const isShadow = line.includes("--shadow");
      const tried = tryHook(name, line, process.cwd());
      const works = isShadow || (tried.isBlocked && isWhole);
      print([
        `${DIALECTS[name].title}: ${works ? paint("green", isShadow ? "records only" : "blocks") : paint("red", "DOES NOT BLOCK")} · ${makeVisibleLine(path)}`,
        `  ${makeVisibleLine(line)}`,
        ...(works ? [] : [`  ${makeVisibleLine(isWhole ? tried.detail : "the file around the line is not as Warder writes it: install it again")}`]),
      ]);
      if (!works) exitCode = EXIT.failed;
    }
  }
  return exitCode;
}

async function make(plan: PlannedChange, { isConfirmed, what }: { readonly isConfirmed: boolean; readonly what: string }): Promise<boolean> {
  if (plan.diff === "") {
    print([`${makeVisibleLine(plan.path)} needs no change.`]);
    return false;
  }
  print([
    makeVisibleLine(plan.path),
    ...plan.diff.split("\n").map((line) => paint(line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim", makeVisible(line))),
  ]);
  if (!isConfirmed) await confirm(`This changes ${what}.`, "yes", "Nothing was changed; --yes changes it without a question.");
  plan.make();
  print(["Changed."]);
  return true;
}

function agentNamed(agent: string): AgentName {
  if (isAgentName(agent)) return agent;
  throw new AgentError("usage", `There is no hook for ${makeVisibleLine(agent)}. There are hooks for: ${AGENT_NAMES.join(", ")}.`);
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
