import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { AgentError } from "../../../base/errors.ts";
import { sandboxFile } from "../../shipped-files.ts";

/** One record of `warder-host apply` (sandbox/host/README.md). */
export type ApplyRecord = readonly [verb: "put" | "link" | "mkdir" | "chmod" | "remove" | "whiteout", ...fields: string[]];

/** What belongs together: after one that could not be done, the rest is not tried. */
export type ApplyGroup = readonly ApplyRecord[];

export type ApplyProgram = {
  /** Performs one record; null when it landed, else why nothing of it did. */
  perform(record: ApplyRecord): Promise<string | null>;
  /** Performs groups in their order, and answers each; much faster than one by one. No two of them may name the same path. */
  performAll(groups: readonly ApplyGroup[]): Promise<readonly (string | null)[]>;
  /** Throws `broken-invariant` when it is not sure that what landed is on the disk. */
  end(): Promise<void>;
};

/**
 * Starts the program that writes below `root` from the files below `upper`, opening every path without following a link. `restore` keeps
 * setuid bits and their kin, and makes whiteouts, for a run's own view or layer; `undo` keeps them, and attributes, for what was there before. What is replaced
 * goes below `kept`.
 */
export function openApplyProgram(root: string, upper: string, verb: "apply" | "restore" | "undo" = "apply", kept: string | null = null): ApplyProgram {
  const child = spawn(sandboxFile("build/warder-host"), [verb, root, upper, ...(kept === null ? [] : [kept])], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
    cwd: "/",
  });
  const ended = once(child, "close");
  ended.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let isLost = false;
  const answer = async (): Promise<string | null> => {
    const line = await lines.next();
    if (line.done === true) {
      isLost = true;
      throw new AgentError(
        "broken-invariant",
        "The program that applies changes ended early: look at `warder changes list`, what was applied is no longer listed.",
      );
    }
    return line.value === "ok" ? null : line.value.replace(/^(?:conflict|error) /, (word) => (word === "conflict " ? "Somebody changed it meanwhile: " : ""));
  };
  const performAll = async (groups: readonly ApplyGroup[]): Promise<readonly (string | null)[]> => {
    const areSound = groups.map((group) => !group.flat().some((field) => field === "" || field.includes("\0")));
    const sent = groups.filter((_group, at) => areSound[at]);
    child.stdin.write(`${sent.map((group) => group.map((record) => `${record.join("\0")}\0\0`).join("then\0\0")).join("")}end\0\0`);
    const reasons: (string | null)[] = [];
    for (const [at, group] of groups.entries()) {
      if (areSound[at] !== true) {
        reasons.push("A field of the change is empty or contains NUL.");
        continue;
      }
      let reason: string | null = null;
      for (const _record of group) {
        const given = await answer();
        reason ??= given;
      }
      reasons.push(reason);
    }
    return reasons;
  };
  return {
    perform: async (record) => (await performAll([[record]]))[0] ?? null,
    performAll,
    end: async () => {
      child.stdin.end();
      const [status] = (await ended) as [number | null];
      if (status !== 0 && !isLost)
        throw new AgentError("broken-invariant", `The program that applies changes ended with ${String(status)}: what landed may not be on the disk yet.`, {
          remedy: "Make room if the disk is full, and try again: what was begun goes on.",
        });
    },
  };
}
