import { openRecords, type Records } from "../../app/records/records.ts";
import { ownAccount } from "../../approvals/terminal/account.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { readStop, setStopSwitch, type StopScope } from "../../gate/stop-switch.ts";
import { putStopFile, stopFile } from "../../store/files/stop-file.ts";
import { confirmedByPerson } from "../input/confirmation.ts";
import { EXIT } from "../process/exit-code.ts";
import { optionsText, scopesText, stopLines } from "../view/stop-switch.ts";

export type StopOptions = { readonly all?: boolean; readonly network?: boolean; readonly tool?: readonly string[]; readonly run?: readonly string[] };

/** `warder stop`: from now on nothing of it runs in any process, and what runs is ended. Anybody who can call it may stop. */
export async function stop(options: StopOptions): Promise<number> {
  const find = await toolFinder(options.tool);
  const toolNamed = (name: string): string => find(name) ?? name;
  const scopes = scopesOf({ ...options, tool: (options.tool ?? []).map(toolNamed) });
  const records = openOrStopByFile();
  try {
    for (const run of options.run ?? [])
      if (records.store.runs.byId(run) === null)
        throw new AgentError("usage", `There is no run ${makeVisibleLine(run)}, so nothing was stopped.`, { remedy: "See: warder runs" });
    setStopSwitch(records.audit, "stopped", ownAccount(), scopes);
    process.stdout.write(`Stopped: ${scopesText(scopes)}, until a person says \`warder start${optionsText(scopes)}\` at a terminal.\n`);
    for (const name of (options.tool ?? []).filter((each) => find(each) === undefined))
      process.stdout.write(`No tool of Warder's own has the name ${makeVisibleLine(name)}. Is it misspelt?\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** Gives a tool's own name, by which its calls are stopped, for any of its names; undefined for what is no tool's. Loads the tools where one is named. */
async function toolFinder(named: readonly string[] = []): Promise<(name: string) => string | undefined> {
  if (named.length === 0) return () => undefined;
  const tools = (await import("../../tools/registry.ts")).createRegistry();
  return (name) => tools.find(name)?.name;
}

/** `warder start`: only a person at a terminal releases the stop switch, with a one-time code where anybody is enrolled. */
export async function start(options: StopOptions): Promise<number> {
  const { tool = [] } = options;
  const find = await toolFinder(tool);
  const scopes = scopesOf({ ...options, tool: [...tool, ...tool.map((name) => find(name) ?? name)] });
  const records = openRecords();
  try {
    const before = readStop(records.store);
    const engaged = scopes.filter((scope) => before.scopes.includes(scope));
    if (engaged.length === 0) {
      process.stdout.write(`The stop switch is not engaged for ${scopesText(scopes)}.\n${stopLines(before).join("")}`);
      return EXIT.done;
    }
    if (before.fault !== null && !scopes.includes("all"))
      throw new AgentError("usage", `Nobody can read what is stopped (${before.fault}), so everything is. Release everything: warder start`);
    const what = before.fault === null ? scopesText(engaged) : `everything, because ${before.fault}: whatever else was stopped is released with it`;
    const text = `The stop switch of this state directory is engaged: ${what}. Releasing it lets runs go on.`;
    const by = await confirmedByPerson(records, { text, word: "start", otherwise: "The stop switch stays as it was." });
    // Who stops while somebody confirms has a reason that nobody was shown.
    const now = readStop(records.store);
    if (now.atMs !== before.atMs || now.by !== before.by || now.fault !== before.fault)
      throw new AgentError("usage", `It was stopped anew meanwhile, so it stays as it is. ${stopLines(now).join("").trimEnd()}`);
    setStopSwitch(records.audit, "running", by, scopes);
    const after = readStop(records.store);
    process.stdout.write(`Started: ${scopesText(engaged)}.\n${stopLines(after).join("")}`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

function scopesOf({ all, network, tool = [], run = [] }: StopOptions): readonly StopScope[] {
  const parts: readonly StopScope[] = [
    ...(network === true ? (["network"] as const) : []),
    ...new Set(tool.map((name) => `tool:${name}` as const)),
    ...run.map((id) => `run:${id}` as const),
  ];
  return all === true || parts.length === 0 ? ["all", ...parts] : parts;
}

/** A database that cannot be opened must keep nobody from stopping. */
function openOrStopByFile(): Records {
  try {
    return openRecords();
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "store-unavailable") throw error;
    const directory = stateDirectory(process.env);
    const text = putStopFile(directory)
      ? `Everything is stopped, by the file ${stopFile(directory)}, because the database could not be opened: ${error.message}`
      : `The stop switch could NOT be engaged: ${error.message} Nothing new begins as long as nothing can be recorded; end what runs by ending its process.`;
    throw new AgentError("store-unavailable", text, { cause: error });
  }
}
