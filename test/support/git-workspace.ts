import { execFileSync } from "node:child_process";
import type { ApplyReport } from "../../src/landing/files/report.ts";
import { overlayWorkspace, type OverlaidWorkspace } from "./overlaid-workspace.ts";

const SETTINGS: Readonly<Record<string, string>> = {
  "safe.directory": "*",
  "user.name": "A",
  "user.email": "a@example.com",
  "init.defaultBranch": "main",
  "commit.gpgsign": "false",
  "gc.auto": "0",
  "advice.detachedHead": "false",
};

export const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
  GIT_EDITOR: "true",
  ...Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${String(at)}`, key],
      [`GIT_CONFIG_VALUE_${String(at)}`, value],
    ]),
  ),
};

/** A transactional workspace that is a repository, with what a run and what a person do in it. */
export type GitWorkspace = OverlaidWorkspace & {
  /** Scripts of bash; each returns what it printed. */
  inRun(script: string): string;
  onHost(script: string): string;
  apply(paths?: readonly string[]): Promise<ApplyReport>;
};

/** `script` makes the repository, after `prepare`. */
export async function gitWorkspace(script: string, prepare: (workspace: string) => void = () => undefined): Promise<GitWorkspace> {
  const shell = (cwd: string, text: string): string =>
    execFileSync("bash", ["-ec", text], { cwd, encoding: "utf8", env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  const here = await overlayWorkspace({}, (workspace) => {
    prepare(workspace);
    shell(workspace, script);
  });
  return {
    ...here,
    inRun: (text) => shell(here.view, text),
    onHost: (text) => shell(here.workspace, text),
    apply: async (paths = []) => {
      const review = await here.review();
      const report = await review.apply({ mayWrite: () => null, paths });
      await review.close();
      return report;
    },
  };
}

/** Each reason once. */
export function reasonsOf(report: ApplyReport): readonly string[] {
  return [...new Set(report.refused.map(({ reason }) => reason))];
}
