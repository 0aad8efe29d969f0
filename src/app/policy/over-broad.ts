import { checkCommand, type CheckParts } from "../../gate/check.ts";
import type { CommandRule, Policy } from "../../policy/policy.ts";
import { type PolicyDiagnostic, warningAt } from "../../policy/text/diagnostic.ts";

/** What a program also does, and nobody means who allows its everyday use: a command that shows it, and what it does in words. */
const ALSO: Readonly<Record<string, readonly (readonly [command: string, does: string])[]>> = {
  awk: [["awk 'BEGIN{system(\"./x\")}'", "starts any program"]],
  cargo: [["cargo run --manifest-path x/Cargo.toml", "runs any code"]],
  git: [
    ["git -c core.pager=./x -p log", "starts any program"],
    ["git config core.editor ./x", "names a program that git starts later"],
    ["git push --force origin HEAD", "replaces what others have"],
  ],
  go: [["go run ./x", "runs any code"]],
  make: [["make SHELL=./x", "starts any program"]],
  node: [["node -e x", "runs any code"]],
  npm: [["npm exec ./x", "starts any program"]],
  npx: [["npx x", "fetches and starts any program"]],
  perl: [["perl -e x", "runs any code"]],
  pip: [["pip install ./x", "runs any code"]],
  python3: [["python3 -c x", "runs any code"]],
  ruby: [["ruby -e x", "runs any code"]],
};
/**
 * Allow rules with a pattern that let something pass which their author can hardly mean. Each is told with a command that the evaluator allows by this rule,
 * here in this workspace, and does not allow without it.
 */
export async function overBroadHints(parts: CheckParts): Promise<readonly PolicyDiagnostic[]> {
  const hints: PolicyDiagnostic[] = [];
  for (const rule of parts.policy.commands.rules) {
    const found = rule.verdict === "allow" && hasPattern(rule) ? await witnessOf(rule, parts) : null;
    if (found === null) continue;
    const [command, does] = found;
    hints.push(
      warningAt(rule.at, "over-broad", `The rule \`${rule.id}\` also allows \`${command}\`, which ${does}.`, {
        why: "Without this rule the command is not allowed; a model may be led to it.",
        remedy: "Name the words that are meant, one rule for each use, or put an ask or deny rule for the rest beside it.",
      }),
    );
  }
  return hints;
}

function hasPattern({ words }: CommandRule): boolean {
  return words.some((word) => word.kind === "rest" || /[*?[]/u.test(word.glob));
}

async function witnessOf(rule: CommandRule, parts: CheckParts): Promise<readonly [string, string] | null> {
  const [first] = rule.words;
  const candidates = first?.kind === "word" && Object.hasOwn(ALSO, first.glob) ? (ALSO[first.glob] ?? []) : [];
  // What a rule allows at some hours, or so often, is as broad as what it allows always.
  const { between: _hours, max: _limit, ...always } = rule;
  const withIt = { ...parts, policy: inPlaceOf(parts.policy, rule, [always]) };
  const without = { ...parts, policy: inPlaceOf(parts.policy, rule, []) };
  for (const [command, does] of candidates) {
    const verdict = await checkCommand(withIt, command);
    const isByRule = verdict.decision === "allow" && verdict.rules.some(({ id }) => id === rule.id);
    if (isByRule && (await checkCommand(without, command)).decision !== "allow") return [command, does];
  }
  return null;
}

function inPlaceOf(policy: Policy, rule: CommandRule, rules: readonly CommandRule[]): Policy {
  return { ...policy, commands: { ...policy.commands, rules: policy.commands.rules.flatMap((other) => (other === rule ? rules : [other])) } };
}
