import { AgentError } from "../base/errors.ts";
import type { Policy } from "../policy/policy.ts";
import type { SandboxProfile } from "../sandbox/runtime.ts";

export type ProfileSetting = {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Never visible inside: state, keys, policy files. */
  readonly ownPaths: readonly string[];
};

/**
 * The sandbox profile of a policy on this machine: a function of the policy and the setting, never of a verdict. Throws
 * `bad-policy` when the workspace is no root of the policy.
 */
export function profileOf(policy: Policy, setting: ProfileSetting): SandboxProfile {
  const workspace = policy.workspace.roots.find((root) => root.path === setting.workspace);
  if (!workspace)
    throw new AgentError(
      "bad-policy",
      `The policy ${policy.name} does not name the workspace ("." in workspace.roots), so nothing could be done in ${setting.workspace}.`,
    );
  const env: Record<string, string> = {};
  for (const name of policy.sandbox.env) {
    const value = setting.environment[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    settings: policy.sandbox,
    roots: [workspace, ...policy.workspace.roots.filter((root) => root !== workspace)],
    forbidden: policy.workspace.forbidden.map((entry) => entry.pattern),
    protected: policy.workspace.protected.map((entry) => entry.pattern),
    env,
    home: setting.home,
    ownPaths: setting.ownPaths,
  };
}
