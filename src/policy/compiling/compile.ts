import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import { readPolicyDocument, type PolicyReading } from "../language/document.ts";
import { exampleProblems } from "./rule-examples.ts";
import { finishPolicy } from "./defaults.ts";
import { hookProblems } from "./hook-problems.ts";
import { imageProblems } from "./image-problems.ts";
import { ceilingProblems, underCeiling } from "./ceiling.ts";
import { merge, type Merged } from "./merge.ts";
import { conditionHints } from "./condition-hints.ts";
import { credentialProblems, lostCredentialProblems } from "./credential-problems.ts";
import type { PolicyContext } from "../language/path-expansion.ts";
import type { Policy } from "../policy.ts";
import { readStatement } from "../language/read-statement.ts";
import { registryHints } from "./registry-hints.ts";
import { rootProblems } from "./roots.ts";
import { OPAQUE_EFFECTS, unsealedBy } from "../deciding/sealed-profile.ts";
import type { PolicyStatement, StatedRule } from "../language/statement.ts";
import { toolWarnings } from "../language/tool-patterns.ts";

/** One file's text under the name that diagnostics and decisions show. */
export type PolicySource = {
  readonly file: string;
  readonly text: string;
  /** Where the file lies; absent: its name says so. */
  readonly path?: string;
  /** What `readPolicyDocument` made of exactly this text, when somebody read it already. */
  readonly reading?: PolicyReading;
};

/** Either a policy, perhaps with warnings, or only diagnostics of which at least one is an error. */
export type CompileResult =
  | { readonly kind: "compiled"; readonly policy: Policy; readonly warnings: readonly PolicyDiagnostic[] }
  | { readonly kind: "refused"; readonly diagnostics: readonly PolicyDiagnostic[] };

/**
 * Makes a policy of a file and what it extends, the file itself first and the outermost parent last. Pure, but for
 * `context.realPath`. Every problem of every file is in the answer. `ceilings`: files, each with what it extends, which bind whatever the policy says; the innermost first.
 */
export function compilePolicy(sources: readonly PolicySource[], context: PolicyContext, ceilings: readonly (readonly PolicySource[])[] = []): CompileResult {
  const chains = [sources, ...ceilings].map((chain) => readChain(chain, context));
  const statements = chains.flatMap((chain) => chain.statements);
  const diagnostics = [...chains.flatMap((chain) => chain.diagnostics), ...chains.slice(1).flatMap((chain) => chain.statements.flatMap(ceilingProblems))];
  const [own, ...above] = chains.flatMap(({ statements: [first, ...rest] }) => (first === undefined ? [] : [[first, ...rest] as const]));
  if (diagnostics.length > 0 || own === undefined) return { kind: "refused", diagnostics };
  const warnings: PolicyDiagnostic[] = statements.flatMap((statement) => [...toolWarnings(statement.deniedTools), ...registryHints(statement)]);
  const told = ({ statement, warnings: more }: Merged): PolicyStatement => {
    warnings.push(...more);
    return statement;
  };
  let merged = told(mergeChain(own));
  let files = own.length;
  for (const ceiling of above) {
    merged = told(underCeiling(told(mergeChain(ceiling)), merged, context, files));
    files += ceiling.length;
  }
  const policy = finishPolicy(
    merged,
    [sources, ...ceilings].flat().map(({ file, path }) => path ?? file),
    context,
  );
  warnings.push(...conditionHints(policy));
  diagnostics.push(
    ...duplicateRules(merged.rules),
    ...rootProblems(merged.roots ?? [], context),
    ...exampleProblems(merged.rules, context),
    ...unsealedAllowances(policy),
    ...credentialProblems(policy),
    ...lostCredentialProblems(statements, policy),
    ...imageProblems(policy),
    ...hookProblems(policy, context),
  );
  return diagnostics.length > 0 ? { kind: "refused", diagnostics } : { kind: "compiled", policy, warnings };
}

function readChain(
  sources: readonly PolicySource[],
  context: PolicyContext,
): { readonly statements: readonly PolicyStatement[]; readonly diagnostics: readonly PolicyDiagnostic[] } {
  const statements: PolicyStatement[] = [];
  const diagnostics: PolicyDiagnostic[] = [];
  for (const { file, text, reading } of sources) {
    const read = reading ?? readPolicyDocument(file, text);
    if ("diagnostics" in read) {
      diagnostics.push(...read.diagnostics);
      continue;
    }
    const { statement, problems } = readStatement(read, context);
    diagnostics.push(...problems);
    statements.push(statement);
  }
  return { statements, diagnostics };
}

/** A file and what it extends, the outermost parent last. */
function mergeChain([first, ...parents]: readonly [PolicyStatement, ...PolicyStatement[]]): Merged {
  const outermost = parents.at(-1);
  if (outermost === undefined) return { statement: first, warnings: [] };
  const warnings: PolicyDiagnostic[] = [];
  const statement = [first, ...parents.slice(0, -1)].reduceRight<PolicyStatement>((parent, child) => {
    const step = merge(parent, child);
    warnings.push(...step.warnings);
    return step.statement;
  }, outermost);
  return { statement, warnings };
}

function duplicateRules(rules: readonly StatedRule[]): PolicyDiagnostic[] {
  const first = new Map<string, StatedRule>();
  return rules.flatMap((rule) => {
    const taken = first.get(rule.id);
    if (taken === undefined || isSameGroup(taken, rule)) {
      first.set(rule.id, rule);
      return [];
    }
    const { file, line } = taken.at;
    return [
      errorAt(rule.at, `The rule id \`${rule.id}\` is taken at ${file}:${line}.`, { why: "A decision names its rules by id.", remedy: "Choose another id." }),
    ];
  });
}

/** Two commands of one rule. */
function isSameGroup(one: StatedRule, other: StatedRule): boolean {
  return one.group !== undefined && one.at === other.at;
}

function unsealedAllowances(policy: Policy): PolicyDiagnostic[] {
  const reasons = unsealedBy(policy);
  if (reasons.length === 0) return [];
  return OPAQUE_EFFECTS.flatMap((kind) => {
    const effect = policy.commands.effects.get(kind);
    if (effect?.verdict !== "allow") return [];
    return [
      errorAt(effect.at, `The policy allows \`${kind}\`, and its sandbox does not make that harmless: ${reasons.join("; ")}.`, {
        why: "Of such a command nobody knows beforehand what it does.",
        remedy:
          "Allow no host (registries of packages are none), pass no variable, use a transactional workspace and open no root outside it for writing; or do not allow it.",
      }),
    ];
  });
}
