import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { homeDirectory } from "../../config/state/directory.ts";
import { argumentsOf } from "../../foreign/dialect.ts";
import type { Installation } from "../../foreign/installation.ts";
import type { Arguments } from "../../foreign/meaning.ts";
import { replaceText } from "../setup/replace-text.ts";

/** An agent's configuration file as it is. `text` null: there is none. */
export type Configuration = { readonly path: string; readonly text: string | null; readonly value: Arguments };

/** The person's own configuration, or that of a project (a directory). */
export function configurationPath({ user: [directory, file], variable, project }: Installation, inProject: string | null): string {
  if (inProject !== null) return join(inProject, project);
  const moved = variable === null ? undefined : process.env[variable];
  return moved === undefined || moved === "" ? join(homeDirectory(), directory, file) : join(moved, file);
}

/** Throws `bad-configuration` for a file that is no JSON object: it is never written over. */
export function readConfiguration(path: string): Configuration {
  if (!existsSync(path)) return { path, text: null, value: {} };
  const text = readFileSync(path, "utf8");
  const refuse = (why: string): never => {
    throw new AgentError("bad-configuration", `${path} cannot be changed: ${why}.`, {
      remedy: "Repair it, or add the hook by hand: docs/agents has the lines.",
    });
  };
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse(`it is no JSON (${error.message}); a file with comments is not changed, because they would be lost`);
  }
  return { path, text, value: argumentsOf(value) ?? refuse("it is no JSON object") };
}

/** The text of a configuration, indented as the file is. Null: nothing would be left of it. */
export function configurationText({ text }: Configuration, value: Arguments): string | null {
  if (Object.keys(value).length === 0) return null;
  const indent = /^[\t ]+(?=")/mu.exec(text ?? "")?.[0] ?? "  ";
  return `${JSON.stringify(value, null, indent)}\n`;
}

/** Throws `usage` if it was changed since it was read. */
export function writeConfiguration({ path, text: before }: Configuration, text: string | null): void {
  replaceText(path, before, text);
}
