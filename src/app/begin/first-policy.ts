import type { Project } from "./project.ts";

export type FirstPolicy = {
  readonly project: Project;
  /** Whether a transactional workspace opens on this machine. */
  readonly isTransactional: boolean;
  /** The prepared image that it names; null: Warder's own. */
  readonly image: string | null;
};

/** The text of a project's first policy: about ten lines, each with the reason in a comment. */
export function firstPolicyText({ project, isTransactional, image }: FirstPolicy): string {
  const rules = project.tests.map(
    (command, index) => `{ id: project-tests${index === 0 ? "" : `-${index + 1}`}, allow: ${JSON.stringify(command)}, because: "the project's own tests" }`,
  );
  const lines: readonly (readonly [string, string])[] = [
    ["version: 1", "the format of policy files"],
    [`name: ${project.name}`, "what questions and the audit log call it"],
    ["extends: base", "secrets stay hidden, git's hooks and settings are never written"],
    ["autonomy: supervised", "you are asked before something changes; `full` asks only about what is risky"],
    ['workspace: { roots: [{ path: ".", access: read-write }] }', "the agent works on this project and on nothing else"],
    ...commandLine(rules, isTransactional),
    ["limits: { actions: { max: 200, per: 1h }, run: { turns: 50, tokens: 400000, minutes: 60 } }", "a loop that goes wrong stops here"],
    ["sandbox:", "what every command is held by"],
    isTransactional
      ? ["  workspace: transactional", "changes wait until you apply them: warder changes"]
      : ["  workspace: bind", "what was approved lands at once, and so does what the tests write"],
    ...(image === null ? [] : [[`  image: ${image}`, "has the project's dependencies: warder image list"] as const]),
    ["  network: { allow: [] }", networkHint(project)],
    ["  memory: 2g", "for all that a run starts"],
    ["  command-timeout: 600s", "long enough for the tests"],
    ["unattended: { on-ask: park }", "with nobody there, a question waits: warder approvals"],
  ];
  return lines.map(([line, why]) => `${line} # ${why}\n`).join("");
}

/** A sealed workspace may run the project's programs, whatever they are; a bound one runs the tests by their words. */
function commandLine(rules: readonly string[], isTransactional: boolean): readonly (readonly [string, string])[] {
  if (isTransactional)
    return [["commands: { effects: { runs-code: allow, unknown: allow } }", "the project's programs run without a question: nothing leaves the sandbox"]];
  return rules.length === 0 ? [] : [[`commands: { rules: [${rules.join(", ")}] }`, "the tests run without a question, as far as these words say what runs"]];
}

function networkHint({ kinds }: Project): string {
  const registries = [...new Set(kinds.flatMap(({ packages }) => packages ?? []))];
  const hosts = "none; name hosts here if a command needs them";
  return registries.length === 0 ? hosts : `${hosts}; \`registries: [${registries.join(", ")}]\` installs packages, and nothing else leaves`;
}
