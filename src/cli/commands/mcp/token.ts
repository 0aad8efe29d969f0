import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { readSecret } from "../../../config/secrets.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { makeDirectories } from "../../../store/files/state-files.ts";

const VARIABLE = "WARDER_MCP_TOKEN";
const TOKEN_BYTES = 32;
/** Shorter ones can be guessed at the rate at which requests are answered. */
const MIN_CHARACTERS = 32;

/** `made`: the file that was made for it now. */
export type Token = { readonly token: string; readonly made: string | null };

/** The token that clients send: from the file named, else from the variable, else from a file in the state directory, which is made. Throws `bad-configuration`. */
export function mcpToken(file: string | undefined, environment: Readonly<Record<string, string | undefined>>): Token {
  if (file !== undefined) return { token: long(readSecret("The token", { kind: "file", path: resolve(file) }, environment)), made: null };
  if (environment[VARIABLE] !== undefined) return { token: long(readSecret("The token", { kind: "variable", name: VARIABLE }, environment)), made: null };
  const path = join(stateDirectory(environment), "mcp-token");
  const made = madeAt(path);
  return made === null ? { token: long(readSecret("The token", { kind: "file", path }, environment)), made } : { token: made, made: path };
}

/** Null: there is one already. */
function madeAt(path: string): string | null {
  makeDirectories(dirname(path));
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return null;
    throw error;
  }
  try {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    writeFileSync(file, `${token}\n`);
    return token;
  } finally {
    closeSync(file);
  }
}

function long(token: string): string {
  if (token.length >= MIN_CHARACTERS) return token;
  throw new AgentError("bad-configuration", `The token has ${token.length} characters; it needs ${MIN_CHARACTERS}.`, {
    remedy: "Make one with: openssl rand -hex 32",
  });
}
