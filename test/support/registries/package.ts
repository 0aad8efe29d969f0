import { createHash } from "node:crypto";
import type { Files } from "./archives.ts";

/** A package as any registry can show it. */
export type Package = { readonly name: string; readonly version: string; readonly files: Files; readonly needs?: Readonly<Record<string, string>> };

/** Where clients find a registry: its index, and its archives, which some keep at another host. No slash at the end. */
export type Places = { readonly index: string; readonly archives: string };

type Answer = { readonly type: string; readonly body: string | Buffer };

/** What a registry answers, by path below its address. */
export type Answers = ReadonlyMap<string, Answer>;

export const digestOf = (algorithm: string, content: string | Buffer, form: "hex" | "base64" = "hex"): string =>
  createHash(algorithm).update(content).digest(form);
