import { AgentError } from "../../base/errors.ts";
import { isImageDigest } from "../../policy/language/image-name.ts";
import type { GitIdentity, Policy } from "../../policy/policy.ts";
import type { SandboxProfile } from "../../sandbox/runtime.ts";

export type ProfileSetting = {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whoever commits on this machine; the policy may name somebody else. */
  readonly gitIdentity?: GitIdentity | null;
  /** Where the policy's registries answer on this machine. */
  readonly registries?: SandboxProfile["registries"];
  /** Looks up a prepared image's content digest; null for an unknown name. If absent, the profile has no image, and no sandbox is opened with it. */
  readonly imageNamed?: (name: string) => string | null;
  /** Never visible inside: state, keys, policy files. */
  readonly ownPaths: readonly string[];
};

/**
 * The sandbox profile of a policy on this machine: a function of the policy and the setting, never of a verdict. Throws
 * `bad-policy` when the workspace is no root of the policy, `sandbox-unavailable` when its image was not prepared here.
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
    ...imageOf(policy, setting),
    roots: [workspace, ...policy.workspace.roots.filter((root) => root !== workspace)],
    forbidden: policy.workspace.forbidden.filter(({ isOfKeys }) => isOfKeys !== true).map(({ pattern }) => pattern),
    keys: policy.workspace.forbidden.filter(({ isOfKeys }) => isOfKeys === true).map(({ pattern }) => pattern),
    protected: policy.workspace.protected.map((entry) => entry.pattern),
    env,
    ...identityOf(policy, setting),
    ...(setting.registries === undefined ? {} : { registries: setting.registries }),
    home: setting.home,
    ownPaths: setting.ownPaths,
  };
}

function identityOf({ commands }: Policy, setting: ProfileSetting): Pick<SandboxProfile, "gitIdentity"> {
  const gitIdentity = commands.gitIdentity ?? setting.gitIdentity ?? null;
  return gitIdentity === null ? {} : { gitIdentity };
}

function imageOf({ name, sandbox }: Policy, { imageNamed }: ProfileSetting): Pick<SandboxProfile, "image"> {
  const { image } = sandbox;
  if (image === undefined || imageNamed === undefined) return {};
  const digest = isImageDigest(image) ? image : imageNamed(image);
  if (digest !== null) return { image: digest };
  throw new AgentError(
    "sandbox-unavailable",
    `The policy ${name} wants the image ${image}, which nobody prepared on this machine. See: warder image list, warder image add --help`,
  );
}
