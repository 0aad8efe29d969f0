import { toolDenials } from "../policy/deciding/denials.ts";
import type { Policy } from "../policy/policy.ts";
import type { Need } from "./contract/tool.ts";
import type { ToolRegistry } from "./registry.ts";

/** One that has a say in which tools are offered. It takes tools away, and gives none. */
export type ToolGate = {
  /** Whose word it is: it stands in the answer to a call of a tool that was taken away. */
  readonly name: string;
  /** Why a tool is not offered now, in a sentence; null: this gate has nothing against it. Asked anew for each turn and each call. */
  readonly refuses: (tool: string) => string | null;
};

/** Why a tool is not offered, and who says so. */
export type Gap = { readonly gate: string; readonly reason: string };

/** What a run has around it. */
export type Surroundings = {
  readonly policy: Policy;
  /** Programs that its sandbox has, of those that tools need. */
  readonly programs: ReadonlySet<string>;
  /** What the person configured, of that which tools need. */
  readonly settings: ReadonlySet<string>;
  /** Why there is no browser, in a sentence; null: there is one. */
  readonly noBrowser: string | null;
  /** Why there are no jobs beside commands, in a sentence; null: there may be. */
  readonly noJobs: string | null;
  /** Whether anybody answers: now, or while the run waits. */
  readonly hasPerson: boolean;
  /** Whether a skill of the person's is as they confirmed it. */
  readonly hasSkills: boolean;
};

const UNSAID = "It did not say why.";

/** The first of the gates that speaks, in their order. A gate that fails takes the tool away: nobody knows what it would have said. */
export function gapOf(gates: readonly ToolGate[], tool: string): Gap | null {
  for (const { name, refuses } of gates) {
    try {
      const reason: unknown = refuses(tool);
      if (reason !== null) return { gate: name, reason: typeof reason === "string" && reason.trim() !== "" ? reason.slice(0, 500) : UNSAID };
    } catch (error) {
      void error;
      return { gate: name, reason: "It failed, so it does not let the tool through." };
    }
  }
  return null;
}

/** The programs that tools of a registry need, those that the policy lets a call name alone. */
export function neededPrograms(tools: ToolRegistry, policy: Policy): readonly string[] {
  const offered = tools.names.filter((name) => toolDenials(policy, name).length === 0);
  const needs = offered.flatMap((name) => tools.find(name)?.needs ?? []);
  return [...new Set(needs.flatMap((need) => (need.kind === "program" ? [need.program] : [])))];
}

/** The gate of what tools say that they need. */
export function needsGate(tools: ToolRegistry, surroundings: Surroundings): ToolGate {
  return {
    name: "needs",
    refuses: (tool) => (tools.find(tool)?.needs ?? []).map((need) => lackOf(need, tool, surroundings)).find((lack) => lack !== null) ?? null,
  };
}

/** The gate of one policy: a tool that it denies is not offered. The ruling on a call says the same, with the rule. */
export function policyGate(policy: Policy): ToolGate {
  return { name: "policy", refuses: (tool) => toolDenials(policy, tool)[0]?.reason ?? null };
}

/** Whether a policy names a tool by more than a pattern that names everything. */
export function isNamedBy(policy: Policy, tool: string): boolean {
  const named = policy.tools.allow.filter((pattern) => !/^\*+$/u.test(pattern));
  return toolDenials({ ...policy, tools: { ...policy.tools, allow: named } }, tool).length === 0;
}

/** For a person: what has to be there. */
export function needText(need: Need): string {
  switch (need.kind) {
    case "program":
      return `the program ${need.program} in the sandbox`;
    case "setting":
      return `\`${need.key}\` in settings.yaml`;
    case "browser":
      return "the image of a browser (`warder image add browser --browser`), Docker on this machine, and hosts in the policy";
    case "jobs":
      return "control groups that Warder may write: as root, or on Docker Engine of root's";
    case "person":
      return "a person who answers";
    case "skill":
      return "a skill that you confirmed (`skills` in settings.yaml, `warder skills trust`)";
    case "named":
      return "a policy that names it in `tools: allow`; `*` is not enough";
  }
}

function lackOf(need: Need, tool: string, { policy, programs, settings, noBrowser, noJobs, hasPerson, hasSkills }: Surroundings): string | null {
  switch (need.kind) {
    case "program":
      return programs.has(need.program) ? null : `The sandbox of this run has no program ${need.program}. Use another tool, or ask for an image that has it.`;
    case "setting":
      return settings.has(need.key) ? null : `Nobody configured it on this machine: a person sets \`${need.key}\` in settings.yaml. Use another tool.`;
    case "browser":
      return noBrowser === null ? null : `This run has no browser. ${noBrowser} Read pages with web_fetch.`;
    case "jobs":
      return noJobs === null ? null : `${noJobs} Use shell.`;
    case "person":
      return hasPerson ? null : "Nobody is there to answer, and this run does not wait for anybody. Decide by yourself, and say what you assumed.";
    case "skill":
      return hasSkills ? null : "This run has no skills: a person registers them and confirms each. Go on without.";
    case "named":
      return isNamedBy(policy, tool) ? null : `The policy ${policy.name} does not name it in tools.allow, and \`*\` is not enough for it. Use another tool.`;
  }
}
