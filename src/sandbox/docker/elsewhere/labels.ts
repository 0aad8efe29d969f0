import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { digestOf } from "../../../base/digest.ts";
import { AgentError } from "../../../base/errors.ts";
import { ownerOf } from "../../owner.ts";

const MACHINE_FILE = "/etc/machine-id";

/**
 * The label that names the owner of what lies on an engine elsewhere. It is this machine's own: a process of another machine that works there, or one of
 * that machine itself, could not tell whether the owner lives.
 */
export function ownerLabel(): string {
  const id = existsSync(MACHINE_FILE) ? readFileSync(MACHINE_FILE, "utf8").trim() : "";
  return `warder.owner.${digestOf({ id, name: hostname() }).slice(-16)}`;
}

/** The labels of what a run has there. */
export function labelsOf(runId: string): Record<string, string> {
  const owner = ownerOf(process.pid);
  if (owner === null) throw new AgentError("broken-invariant", "This process is not in /proc.");
  return { [ownerLabel()]: owner, "warder.run": runId };
}
