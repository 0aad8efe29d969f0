import { newEffect } from "../../model/effects.ts";
import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addPath } from "../reading/collector.ts";
import { hostOf, remoteHostOf } from "../operands/hosts.ts";
import { addThrough } from "../reading/project-files.ts";
import { literalPrefix } from "../../model/words.ts";

/** Besides a file: Compose clones what git knows as an address: `git@host:path`, `github.com/owner/name`. */
export function readComposeFile(to: Collector, word: Word): void {
  if (/^[^/:]+@[^/]+:/.test(literalPrefix(word))) to.hosts.push(remoteHostOf(word));
  else if (/^github\.com\//i.test(literalPrefix(word))) to.hosts.push(hostOf(word));
  else if (/^[^:]*\//.test(literalPrefix(word))) startsCompose(to, word, literalPrefix(word).replace(/[^/]*$/, "."));
}

export function readComposeDirectory(to: Collector, word: Word): void {
  addPath(to, "reads", word);
  startsCompose(to, word, literalPrefix(word));
}

/** Compose takes the `.env` of the project's directory, which need not be the one it starts in. */
function startsCompose(to: Collector, { span }: Word, directory: string): void {
  addThrough(to, "compose", newEffect("runs-code", `the variables of \`${directory}/.env\` may say what \`${to.program}\` asks and starts`, span), directory);
}
