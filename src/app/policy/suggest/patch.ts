import { relative } from "node:path";
import { AgentError } from "../../../base/errors.ts";
import { canonicalJson } from "../../../base/digest.ts";
import type { PolicyFile } from "../../../config/policy/files.ts";
import { describeChange } from "../../../tools/files/diff.ts";
import { readPolicyDocument } from "../../../policy/language/document.ts";
import { appendedToList } from "../../../policy/text/yaml-list.ts";
import { flowYaml } from "../../../policy/text/yaml-writing.ts";

/** A rule as a policy file writes it. */
export type WrittenRule = { readonly id: string; readonly allow: string; readonly because: string; readonly expires: string };

/**
 * A unified diff that adds rules to a policy file and leaves all else as it is. Null: the file writes its rules in brackets, or ends its lines in a way that no
 * diff shows, and a person adds them by hand.
 * Throws `broken-invariant` where the new text would say anything but the old one and these rules.
 */
export function rulesPatch({ file, path, text }: PolicyFile, rules: readonly WrittenRule[]): string | null {
  if (text.includes("\r") || !text.endsWith("\n")) return null;
  const lines = rules.map((rule) => Object.entries(rule).map(([key, value]) => `${key}: ${flowYaml(value)}`));
  const added = appendedToList(text, ["commands", "rules"], lines);
  if (added === null) return null;
  if (canonicalJson(stated(file, added)) !== canonicalJson(withRules(stated(file, text), rules)))
    throw new AgentError("broken-invariant", `The rules cannot be added to ${file} without changing what else it says.`);
  // As git applies it from here.
  const here = relative(process.cwd(), path);
  const name = here.startsWith("..") ? path.slice(1) : here;
  return `--- a/${name}\n+++ b/${name}\n${describeChange(text, added, Number.POSITIVE_INFINITY)}\n`;
}

type Stated = { readonly commands?: { readonly rules?: readonly unknown[] } };

function stated(file: string, text: string): Stated {
  const read = readPolicyDocument(file, text);
  return "document" in read ? (read.document as Stated) : {};
}

function withRules(document: Stated, rules: readonly WrittenRule[]): Stated {
  return { ...document, commands: { ...document.commands, rules: [...(document.commands?.rules ?? []), ...rules] } };
}
