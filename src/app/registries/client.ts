import { readFileSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import type { RegistryAccess } from "../../sandbox/egress/registries/origin.ts";
import type { RegistryName } from "../../policy/network.ts";

/** What a client signs in with: a header's value with `{secret}` or `{basic USER}`, and the secret. */
export type RegistryLogin = { readonly secret: string; readonly form: string };

/** How this account's client of a registry is configured, outside every workspace. */
export type RegistryClient = {
  readonly registry: RegistryName;
  /** Where it asks, without user names. */
  readonly places: readonly { readonly url: URL; readonly login: RegistryLogin | null; /** No metadata is there. */ readonly hasFilesAlone?: true }[];
  /** By which a client inside is told the same. Nothing secret is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where variables do not do: files below the home inside. */
  readonly homeFiles?: RegistryAccess["homeFiles"];
  readonly apt?: RegistryAccess["apt"];
  /** PEM: whom the registry's certificate may come from, beside those whom this machine trusts. */
  readonly trusted: readonly string[];
};

/** A file's lines; none where there is no file that may be read. */
export function linesOf(file: string): readonly string[] {
  return (textAt(file) ?? "").split("\n");
}

/** A file's text; null where there is no file that may be read. */
export function textAt(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** PEM of each certificate in a file. Throws `usage` where it cannot be read. */
export function certificatesIn(file: string, what: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? [];
  } catch (error) {
    throw new AgentError("usage", `${what} ${file} cannot be read: ${String((error as NodeJS.ErrnoException).code)}.`, { cause: error });
  }
}

/** An address without a user's name, and what that name signs in with. Null for what is no address of the Web. */
export function placeOf(text: string): RegistryClient["places"][number] | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol) || url.search !== "" || url.hash !== "") return null;
  const [user, secret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = "";
  url.password = "";
  const isLogin = url.protocol === "https:" && secret !== "" && /^[\x21-\x39\x3b-\x7a\x7e]+$/u.test(user);
  return { url, login: isLogin ? { secret, form: `Basic {basic ${user}}` } : null };
}
