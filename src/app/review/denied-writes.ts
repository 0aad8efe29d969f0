import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { decide } from "../../policy/deciding/evaluate.ts";
import type { Facts } from "../../policy/facts.ts";
import type { Policy } from "../../policy/policy.ts";
import type { MayWrite } from "../../landing/files/report.ts";
import type { WorkspaceContext } from "../setup/context.ts";

/**
 * Says why the policy, as it is now, denies a write to a path of the workspace, or of the `repository` that changes with it, or null. Where it would ask, the person who lands the changes decides. A
 * path is judged as written, because landing follows no symlink, and also where its symlinks lead, because that is what a landed symlink exposes.
 */
export function judgeWrites({ policy: stated, home, ownPaths }: WorkspaceContext, repository: string | null = null): MayWrite {
  const policy = repository === null ? stated : withRoot(stated, repository);
  const { workspace } = policy;
  // What holds nothing but public parts is no key, whatever its name.
  const ofPublicParts: Policy = { ...policy, workspace: { ...workspace, forbidden: workspace.forbidden.filter(({ isOfKeys }) => isOfKeys !== true) } };
  const reasonFor = (judging: Policy, path: string, real: string): string | null => {
    const facts: Facts = {
      measured: "host",
      containment: "profile",
      nowMs: systemClock.nowMs(),
      isStopped: false,
      isSandboxReady: true,
      actionsLeft: null,
      asksLeft: null,
      paths: new Map([[path, { path, real, type: "missing", links: 0 }]]),
      home,
      ownPaths,
    };
    const decision = decide(judging, { tool: "write_file", requests: [{ kind: "write", path }] }, facts);
    return decision.verdict === "deny" ? decision.reason : null;
  };
  return (path, holds) => {
    const judging = holds === "public-parts" ? ofPublicParts : policy;
    return reasonFor(judging, path, path) ?? reasonFor(judging, path, realPathOf(path));
  };
}

/** What the policy forbids or protects there holds all the same. */
function withRoot(policy: Policy, path: string): Policy {
  return { ...policy, workspace: { ...policy.workspace, roots: [...policy.workspace.roots, { path, access: "read-write" }] } };
}

/** With the links of what exists resolved, and the rest as it is. A loop stays as it is written. */
function realPathOf(path: string): string {
  for (let at = path, rest = ""; ; rest = join(at.slice(dirname(at).length), rest), at = dirname(at)) {
    try {
      return join(realpathSync(at), rest);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "ELOOP") throw error;
      if (at === "/") return path;
    }
  }
}
