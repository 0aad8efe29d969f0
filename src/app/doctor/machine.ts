import { release } from "node:os";
import { verifyAudit } from "../../audit/verify/verify.ts";
import { AgentError } from "../../base/errors.ts";
import { browserImage, type PreparedImage } from "../../config/state/images.ts";
import { readSettings } from "../../config/settings-file.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { readStop, type StopState } from "../../gate/stop-switch.ts";
import type { Runtime } from "../../sandbox/runtime.ts";
import { withRecords } from "../records/records.ts";
import { runtimeNamed } from "../setup/runtimes.ts";

/** One thing that was looked at. */
export type Finding = {
  readonly what: string;
  readonly state: "ok" | "missing" | "note";
  readonly detail: string;
  readonly remedy?: string;
  /** Nothing runs without it under the shipped policies. */
  readonly isNeeded: boolean;
};

/** Looks at this machine, changes nothing but what dead runs left (which is removed and named). */
export async function examineMachine(): Promise<readonly Finding[]> {
  const docker = await runtimeNamed("docker");
  return [
    { what: "Node.js", state: "ok", detail: process.version, isNeeded: true },
    { what: "kernel", state: "note", detail: release(), isNeeded: false },
    await examineRuntime(docker, true),
    await examineRuntime(await runtimeNamed("bubblewrap"), false),
    ...(await leftovers(docker)),
    ...examineRecords(),
    ...projectPolicies(),
  ];
}

/** Where the policies of projects come from, if the person's settings say so. */
function projectPolicies(): readonly Finding[] {
  const finding = { what: "project policies", isNeeded: false };
  try {
    const { from, confirmed } = readSettings(stateDirectory(process.env)).projects;
    const pins = confirmed.length === 0 ? "" : `; pinned digests: ${String(confirmed.length)}`;
    return from === null && pins === "" ? [] : [{ ...finding, state: "note", detail: `read ${from === null ? "as they stand" : `at ${from}`}${pins}` }];
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return [{ ...finding, state: "missing", detail: error.problem, ...(error.remedy === null ? {} : { remedy: error.remedy }) }];
  }
}

async function examineRuntime(runtime: Runtime, isNeeded: boolean): Promise<Finding> {
  const status = await runtime.check();
  const finding = { what: `${runtime.name} sandbox`, state: status.isReady ? ("ok" as const) : ("missing" as const), detail: status.detail, isNeeded };
  return status.remedy === undefined ? finding : { ...finding, remedy: status.remedy };
}

async function leftovers(runtime: Runtime): Promise<readonly Finding[]> {
  if (!(await runtime.check()).isReady) return [];
  const removed = await runtime.reap(stateDirectory(process.env));
  return removed.map((line) => ({ what: "what ended runs left", state: "note" as const, detail: line, isNeeded: false }));
}

function browserFinding(image: PreparedImage | null): Finding {
  const finding = { what: "browser", state: "note" as const, isNeeded: false };
  if (image !== null) return { ...finding, detail: `image ${image.name}, ${image.image.slice(0, 19)}` };
  return { ...finding, detail: "no image, so no run is offered the tool `browser`", remedy: "Prepare it: warder image add browser --browser" };
}

function stopFinding({ scopes, by, fault }: StopState): Finding {
  if (scopes.length === 0) return { what: "stop switch", state: "ok", detail: "not engaged", isNeeded: false };
  const detail = `engaged for ${scopes.join(", ")}${by === null ? "" : ` by ${by}`}${fault === null ? "" : `: ${fault}`}`;
  return { what: "stop switch", state: "missing", detail, remedy: "It is released by a person at a terminal: warder start", isNeeded: false };
}

function examineRecords(): readonly Finding[] {
  const state: Finding = { what: "state", state: "ok", detail: stateDirectory(process.env), isNeeded: true };
  try {
    const { report, stop } = withRecords(({ audit, store }) => ({ report: verifyAudit(audit), stop: readStop(store) }));
    const log: Finding = report.isIntact
      ? { what: "audit log", state: "ok", detail: `whole, ${report.records} records`, isNeeded: true }
      : { what: "audit log", state: "missing", detail: `touched: ${report.problems[0]?.what ?? ""}`, remedy: "See: warder audit verify", isNeeded: true };
    return [state, log, stopFinding(stop), browserFinding(browserImage(state.detail))];
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return [{ ...state, state: "missing", detail: error.problem, ...(error.remedy === null ? {} : { remedy: error.remedy }) }];
  }
}
