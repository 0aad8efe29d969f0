import { existsSync } from "node:fs";
import { readProject } from "../../app/begin/project.ts";
import { defaultModels } from "../../app/models/configured.ts";

/** Whether a person sits at a terminal that can be drawn on. */
export function canChat(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
}

/** Whether `warder` without a word begins a conversation: at such a terminal, in a project's folder, with a model that is configured. */
export function isForChat(): boolean {
  return canChat() && (existsSync(".git") || readProject(process.cwd()).kinds.length > 0) && defaultModels(process.env) !== null;
}
