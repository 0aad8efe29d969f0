import { existsSync } from "node:fs";
import type { PolicySide } from "../../../app/policy/comparison.ts";
import { AgentError } from "../../../base/errors.ts";

/**
 * The two policies that the words of the command name: `A B`, each a file, a shipped name or `REV:FILE`; `REV..REV FILE`; `FILE` for what is not committed of it; `--staged FILE` for
 * what is staged.
 */
export function sidesOf(first: string, second: string | undefined, isStaged: boolean): readonly [PolicySide, PolicySide] {
  if (isStaged) {
    if (second !== undefined) throw usage("`--staged` takes one file.");
    return [
      { kind: "revision", revision: "HEAD", file: first },
      { kind: "revision", revision: null, file: first },
    ];
  }
  if (second === undefined) {
    if (first.includes("..") && !existsSync(first)) throw usage("A range of revisions needs a file.");
    return [
      { kind: "revision", revision: "HEAD", file: first },
      { kind: "file", file: first },
    ];
  }
  const range = existsSync(first) ? null : /^(.+?)\.\.(?!\/)(\.?)(.*)$/u.exec(first);
  if (range !== null && !first.includes(":")) {
    const [, from = "", third = "", to = ""] = range;
    if (third !== "") throw usage("`A...B` is no pair of revisions.");
    return [
      { kind: "revision", revision: from, file: second },
      { kind: "revision", revision: to === "" ? "HEAD" : to, file: second },
    ];
  }
  return [sideOf(first), sideOf(second)];
}

function sideOf(text: string): PolicySide {
  const colon = text.indexOf(":");
  if (colon < 0 || existsSync(text)) return { kind: "file", file: text };
  const [revision, file] = [text.slice(0, colon), text.slice(colon + 1)];
  if (file === "") throw usage(`${text} names no file.`);
  return { kind: "revision", revision: revision === "" ? null : revision, file };
}

function usage(problem: string): AgentError {
  return new AgentError("usage", problem, { remedy: "warder policy diff BEFORE AFTER, or main..HEAD FILE, or --staged FILE" });
}

/** As a person would name it. */
export function sideText(side: PolicySide): string {
  if (side.kind === "file") return side.file;
  return side.revision === null ? `${side.file} (staged)` : `${side.revision}:${side.file}`;
}
