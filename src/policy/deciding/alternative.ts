import type { NetworkSettings } from "../network.ts";
import type { Policy } from "../policy.ts";

/** What a denied model could do instead, or null where the rule does not know. Names only what the policy opens. */
export function insteadOf(ruleId: string, policy: Policy): string | null {
  const roots = policy.workspace.roots;
  const writable = roots.filter((root) => root.access === "read-write").map((root) => root.path);
  switch (ruleId) {
    case "forbidden-path":
      return "Do without this file, or say in your answer what you need from it.";
    case "protected-path":
      return "Describe the change in your answer, so that a person can make it.";
    case "outside-roots":
      if (writable.length > 0) return `Work below ${writable.join(", ")}.`;
      return roots.length > 0 ? `Read below ${roots.map((root) => root.path).join(", ")}.` : null;
    case "only":
      return policy.commands.only === null ? null : `Use one of: ${policy.commands.only.join(", ")}.`;
    case "no-network":
      return insteadOfNetwork(policy.sandbox.network);
    case "host-not-allowed":
      return `Allowed hosts: ${policy.sandbox.network.allow.join(", ")}.`;
    case "read-only-autonomy":
      return "Read, and describe the change in your answer.";
    case "hidden-character":
    case "undecodable":
      return "Write it with plain visible characters.";
    case "budget-actions":
    case "budget-asks":
      return "Finish with what you have, or stop and say what is left to do.";
    default:
      return null;
  }
}

function insteadOfNetwork({ registries = [] }: NetworkSettings): string {
  if (registries.length === 0) return "Use what is in the workspace and in the sandbox.";
  return `Install packages by their names, from the registries that are configured: ${registries.map(({ name }) => name).join(", ")}.`;
}
