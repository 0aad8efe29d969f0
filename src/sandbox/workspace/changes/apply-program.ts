import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { AgentError } from "../../../base/errors.ts";
import { sandboxFile } from "../../shipped-files.ts";

/** One record of `warder-host apply` (sandbox/host/README.md). */
export type ApplyRecord = readonly [verb: "put" | "link" | "mkdir" | "chmod" | "remove" | "whiteout", ...fields: string[]];

export type ApplyProgram = {
  /** Performs one record; null when it landed, else why nothing of it did. */
  perform(record: ApplyRecord): Promise<string | null>;
  end(): Promise<void>;
};

/**
 * Starts the program that writes below `root` from the files below `upper`, opening every path without following a link. `restore` keeps
 * setuid bits and their kin, and makes whiteouts, for a run's own view or layer.
 */
export function openApplyProgram(root: string, upper: string, verb: "apply" | "restore" = "apply"): ApplyProgram {
  const child = spawn(sandboxFile("build/warder-host"), [verb, root, upper], { stdio: ["pipe", "pipe", "inherit"], env: {}, cwd: "/" });
  const ended = once(child, "close");
  ended.catch(() => undefined);
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    perform: async (record) => {
      if (record.some((field) => field === "" || field.includes("\0"))) return "A field of the change is empty or contains NUL.";
      child.stdin.write(`${record.join("\0")}\0\0`);
      const line = await lines.next();
      if (line.done === true)
        throw new AgentError(
          "broken-invariant",
          "The program that applies changes ended early: look at `warder changes list`, what was applied is no longer listed.",
        );
      return line.value === "ok" ? null : line.value.replace(/^(?:conflict|error) /, (word) => (word === "conflict " ? "Somebody changed it meanwhile: " : ""));
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
