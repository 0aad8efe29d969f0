import type { FirstPolicy } from "./first-policy.ts";

/** The suite of a project's first policy: what each of its comments promises, as a case. */
export function firstSuiteText({ project, isTransactional }: Omit<FirstPolicy, "image">): string {
  const sealed = isTransactional ? "allow" : "ask";
  const cases: readonly (readonly [string, string])[] = [
    ['read: "README.md", decision: allow', "looking is free"],
    ['read: ".env", decision: deny, rule: forbidden-path', "secrets stay hidden"],
    ['write: ".git/hooks/pre-commit", decision: deny, rule: protected-path', "git's hooks are never written"],
    ['write: "notes.txt", decision: ask', "you are asked before something changes"],
    ['command: "git commit -m done", decision: ask', "and before a commit"],
    ['write: "/etc/hosts", decision: deny, rule: outside-roots', "the agent works on this project and on nothing else"],
    ...project.tests.map((command) => [`command: ${JSON.stringify(command)}, decision: allow`, "the project's own tests"] as const),
    [
      `command: "./build.sh", decision: ${sealed}`,
      isTransactional ? "the project's programs run without a question" : "another program of the project is asked about",
    ],
    [`command: "some-program", decision: ${sealed}`, "so is one that Warder does not know"],
    ['connect: "example.org", decision: deny, rule: no-network', "no host is open"],
    ['command: "git push", decision: deny, rule: no-network', "so nothing is published"],
  ];
  return ["cases:\n", ...cases.map(([one, why]) => `  - { ${one} } # ${why}\n`)].join("");
}
