import { visitArgv } from "./script/simple-command.ts";
import type { AnalysisContext, CommandAnalysis, Undecidable } from "./model/model.ts";
import { findReadOutput } from "./state/descriptors.ts";
import { noteUnread } from "./commands/functions.ts";
import { isFilledByShell, isFoldable } from "./state/variable-uses.ts";
import { LIMITS } from "./model/limits.ts";
import { effectOf, newEffect } from "./model/effects.ts";
import { visitScript, visitSource, visitText } from "./script/script.ts";
import { NO_PARAMETERS, UNKNOWN_PARAMETERS } from "./state/parameters.ts";
import { visitList, visitNode } from "./script/statements.ts";
import { NO_VARIABLES } from "./state/state.ts";
import { explainUndecidable } from "./model/undecidable.ts";
import { settledEffects } from "./conditional-effects.ts";
import { withRepositories } from "./obeyed-repositories.ts";
import { createWalk } from "./state/walk.ts";
import { addUndecidable } from "./state/scope.ts";
import type { Assumptions, Scope, Visitors, Walk } from "./state/walk.ts";

const VISITORS: Visitors = { visitScript, visitText, visitArgv, visitList, visitNode };

const NOTHING_ASSUMED: Assumptions = {
  contested: new Set(),
  texts: new Set(),
  functions: new Set(),
  functionsMove: false,
  functionsStop: false,
  mayStopAnywhere: false,
  laterIsElsewhere: false,
  isAnywhere: false,
  functionsVanish: false,
  inputIsReplaced: false,
  isFollowing: true,
  followed: new Set(),
  general: new Set(),
  trapsShift: false,
  hashed: new Map(),
};

/**
 * What is known of a command text before it runs: every program, path and redirection, and everything
 * that cannot be known. Pure and total: it answers for any text, and what it does not understand is
 * `undecidable`. The text is read as `/bin/bash --norc --noprofile -c` reads it.
 */
export function analyseCommand(text: string, context: AnalysisContext): CommandAnalysis {
  try {
    return analyse(text, context);
  } catch (error) {
    // The parser and the walk recurse; a text that exhausts the stack is undecidable, as is any fault in here.
    return failedAnalysis(text, error);
  }
}

function analyse(text: string, context: AnalysisContext): CommandAnalysis {
  let assumptions = NOTHING_ASSUMED;
  for (let pass = 0; pass < LIMITS.maxPasses; pass += 1) {
    const walk = readOnce(text, context, assumptions);
    const next = refine(walk, assumptions);
    if (next === null) return analysisOf(walk);
    // Functions that call each other in ways that do not settle are read once each, where they are defined.
    assumptions = pass < LIMITS.maxPasses / 2 ? next : { ...next, isFollowing: false };
  }
  return failedAnalysis(text, null);
}

function readOnce(text: string, context: AnalysisContext, assumptions: Assumptions): Walk {
  const walk = createWalk(text, context, assumptions, VISITORS);
  const scope: Scope = {
    walk,
    source: { id: 0, text, outer: null, visited: null, exempt: [] },
    contexts: [],
    stdin: assumptions.inputIsReplaced ? { kind: "inherited" } : { kind: "inherited", isEmpty: true },
    via: [],
    dialect: "bash",
    home: context.home,
    depth: 0,
    shell: 0,
  };
  const directories = assumptions.isAnywhere ? null : [context.cwd];
  const positional = assumptions.trapsShift ? UNKNOWN_PARAMETERS : NO_PARAMETERS;
  visitSource(scope, { text, outer: null }, { directories, variables: NO_VARIABLES, positional });
  checkLedger(scope);
  return walk;
}

/** What two places of a script together make undecidable, whatever their order. */
function checkLedger(scope: Scope): void {
  const { ledger } = scope.walk;
  if (ledger.isEmpty) return;
  const output = findReadOutput(ledger.descriptors);
  if (output !== null) addUndecidable(scope, "unsupported-syntax", output);
  for (const [name, span] of ledger.arithmetic) if (ledger.texts.has(name) || isFilledByShell(name)) addUndecidable(scope, "arithmetic", span);
  for (const [name, span] of ledger.exported) if (ledger.steering.has(name)) addUndecidable(scope, "hot-variable", span);
  for (const [name, span] of ledger.declared) if (ledger.arrays.has(name) || !isFoldable(name)) addUndecidable(scope, "evaluated-text", span);
}

/** The assumptions of the next pass, or null when this one's held. They only ever grow. */
function refine({ found, ledger }: Walk, assumed: Assumptions): Assumptions | null {
  if (ledger.isEmpty && found.isNothing) return null;
  const names = found.noted;
  if (names !== null) noteUnread(names);
  const contested = ledger.isEmpty ? [] : [...ledger.used].filter((name) => ledger.contested.has(name));
  const texts = ledger.isEmpty ? [] : [...ledger.usedAsNumber].filter((name) => ledger.texts.has(name));
  const hasFunctions = names !== null && names.functions.size > 0;
  const isFedByAnother = names !== null && found.feeders !== null && [...found.feeders].some((name) => names.functions.has(name) || names.hashed.has(name));
  const next: Assumptions = {
    contested: grown(assumed.contested, contested),
    texts: grown(assumed.texts, texts),
    functions: hasFunctions ? grown(assumed.functions, [...names.functions.keys()]) : assumed.functions,
    functionsMove: assumed.functionsMove || found.functionsMove,
    functionsStop: assumed.functionsStop || found.functionsStop,
    mayStopAnywhere: assumed.mayStopAnywhere || found.mayStopAnywhere,
    laterIsElsewhere: assumed.laterIsElsewhere || (found.hasMoved && (hasFunctions || found.hasTraps)),
    isAnywhere: assumed.isAnywhere || found.trapsMove,
    functionsVanish: assumed.functionsVanish || found.functionsVanish,
    isFollowing: assumed.isFollowing && !found.trapsReturn,
    followed: names === null ? assumed.followed : grown(assumed.followed, [...names.called]),
    general: names === null ? assumed.general : grown(assumed.general, [...names.general]),
    trapsShift: assumed.trapsShift || found.trapsShift,
    hashed: names === null || names.hashed.size === 0 ? assumed.hashed : new Map([...assumed.hashed, ...names.hashed]),
    inputIsReplaced: assumed.inputIsReplaced || found.inputIsReplaced || isFedByAnother,
  };
  return isSame(next, assumed) ? null : next;
}

function grown(assumed: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  return names.length === 0 ? assumed : new Set([...assumed, ...names]);
}

function isSame(one: Assumptions, other: Assumptions): boolean {
  return (
    one.contested.size === other.contested.size &&
    one.texts.size === other.texts.size &&
    (one.functions.size === other.functions.size || !(one.functionsMove || one.functionsVanish)) &&
    one.functionsMove === other.functionsMove &&
    one.functionsStop === other.functionsStop &&
    one.mayStopAnywhere === other.mayStopAnywhere &&
    one.laterIsElsewhere === other.laterIsElsewhere &&
    one.isAnywhere === other.isAnywhere &&
    one.functionsVanish === other.functionsVanish &&
    one.inputIsReplaced === other.inputIsReplaced &&
    one.followed.size === other.followed.size &&
    one.general.size === other.general.size &&
    one.isFollowing === other.isFollowing &&
    one.trapsShift === other.trapsShift &&
    one.hashed.size === other.hashed.size
  );
}

function analysisOf(walk: Walk): CommandAnalysis {
  const { text, simples, undecidable, needs, hasParseError } = walk;
  const analysis = {
    text,
    simples,
    effects: settledEffects(walk),
    undecidable,
    needs: needs === null ? [] : [...needs],
    parse: hasParseError ? "failed" : "ok",
  } as const;
  return walk.repositories === null ? analysis : withRepositories(analysis, walk.repositories);
}

function failedAnalysis(text: string, error: unknown): CommandAnalysis {
  const span = { start: 0, end: text.length };
  const code = error instanceof RangeError ? "too-deep" : "analysis-failed";
  const entry: Undecidable = { code, span, text: text.slice(0, 80) };
  const effect = effectOf(-1, newEffect("undecidable", explainUndecidable(code, entry.text), span));
  return { text, simples: [], effects: [effect], undecidable: [entry], needs: [], parse: "failed" };
}
