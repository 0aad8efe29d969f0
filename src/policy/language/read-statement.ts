import { isBuiltInRule } from "../deciding/built-in-rules.ts";
import { errorAt, type PolicyDiagnostic } from "../text/diagnostic.ts";
import type { ReadPolicy } from "./document.ts";
import { absolutePattern, patternFault, rootPath, type PolicyContext } from "./path-expansion.ts";
import { imageFault } from "./image-name.ts";
import { isWithin } from "../matching/paths.ts";
import type { Verdict } from "../decision.ts";
import type { PathPattern, PatternWord } from "../policy.ts";
import { type DailyHours, readHours } from "../text/hours.ts";
import { readUses, type Uses } from "../text/uses.ts";
import { bytes, durationMs } from "../text/quantity.ts";
import { readEffects, readWhen, refuseAllow } from "./read-effects.ts";
import { readHooks } from "./read-hooks.ts";
import { readWindows } from "./read-windows.ts";
import { readMappings } from "./read-mappings.ts";
import { readNetwork } from "./read-network.ts";
import { type Path, type Reading, readList, requireSound } from "./reading-context.ts";
import { readCommands, readRuleWords, wordsText } from "../matching/rule-words.ts";
import type { RuleDocument } from "./schema.ts";
import type { PolicyStatement, Stated, StatedRoot, StatedRule } from "./statement.ts";
import { ownToolNames, toolFault } from "./tool-patterns.ts";
import { variableFault } from "./dangerous-variables.ts";

/** Turns one file into what it states: paths filled in, quantities in plain units, rules read into words. */
export function readStatement(
  { document, text }: ReadPolicy,
  context: PolicyContext,
): { readonly statement: PolicyStatement; readonly problems: readonly PolicyDiagnostic[] } {
  const reading: Reading = { at: text.at, context, problems: [] };
  const statement: PolicyStatement = {
    name: document.name,
    roots: document.workspace?.roots === undefined ? null : readRoots(document.workspace.roots, reading),
    forbidden: [
      ...readPatterns(document.workspace?.forbidden ?? [], ["workspace", "forbidden"], reading),
      ...readPatterns(document.workspace?.keys ?? [], ["workspace", "keys"], reading).map((pattern) => ({ ...pattern, isOfKeys: true as const })),
    ],
    protected: readPatterns(document.workspace?.protected ?? [], ["workspace", "protected"], reading),
    sensitive: readPatterns(document.workspace?.sensitive ?? [], ["workspace", "sensitive"], reading),
    ...readEffects(document.commands?.effects ?? {}, reading, (kind) => text.atKey(["commands", "effects"], kind)),
    rules: (document.commands?.rules ?? []).flatMap((rule, index) => readRule(rule, ["commands", "rules", index], reading, document.name)),
    deniedTools: readList(document.tools?.deny ?? [], ["tools", "deny"], reading, toolFault).flatMap((pattern, index) =>
      ownToolNames(pattern).map((value) => ({ value, at: text.at(["tools", "deny", index]) })),
    ),
    mappings: readMappings(document.tools?.mcp ?? {}, reading),
    windows: readWindows(document, reading),
    hooks: readHooks(document.hooks ?? [], ["hooks"], reading),
    values: readValues(document, reading),
  };
  return { statement, problems: reading.problems };
}

function readValues(document: ReadPolicy["document"], reading: Reading): PolicyStatement["values"] {
  const { approvals, commands, limits, sandbox, tools, unattended } = document;
  const stated = <T>(value: T | undefined, ...path: string[]): Stated<T> | undefined => (value === undefined ? undefined : { value, at: reading.at(path) });
  const values = {
    autonomy: stated(document.autonomy, "autonomy"),
    only: stated(commands?.only && readList(commands.only, ["commands", "only"], reading, programFault), "commands", "only"),
    blockHighRisk: stated(commands?.["block-high-risk"], "commands", "block-high-risk"),
    turns: stated(limits?.run?.turns, "limits", "run", "turns"),
    tokens: stated(limits?.run?.tokens, "limits", "run", "tokens"),
    minutes: stated(limits?.run?.minutes, "limits", "run", "minutes"),
    runActions: stated(limits?.run?.actions, "limits", "run", "actions"),
    runCalls: stated(limits?.run?.calls, "limits", "run", "calls"),
    runAsks: stated(limits?.run?.asks, "limits", "run", "asks"),
    runUsd: stated(limits?.run?.["max-usd"], "limits", "run", "max-usd"),
    subAgents: stated(limits?.run?.["sub-agents"], "limits", "run", "sub-agents"),
    subAgentDepth: stated(limits?.run?.["sub-agent-depth"], "limits", "run", "sub-agent-depth"),
    runtime: stated(sandbox?.runtime, "sandbox", "runtime"),
    image: readImage(sandbox?.image, reading),
    engineRuntime: stated(sandbox?.["engine-runtime"], "sandbox", "engine-runtime"),
    workspace: stated(sandbox?.workspace, "sandbox", "workspace"),
    env: stated(sandbox?.env && readList(sandbox.env, ["sandbox", "env"], reading, variableFault), "sandbox", "env"),
    ...readNetwork(sandbox?.network, reading),
    memoryBytes: stated(sandbox?.memory === undefined ? undefined : (bytes(sandbox.memory) ?? 0), "sandbox", "memory"),
    cpus: stated(sandbox?.cpus, "sandbox", "cpus"),
    processes: stated(sandbox?.processes, "sandbox", "processes"),
    commandTimeoutMs: stated(
      sandbox?.["command-timeout"] === undefined ? undefined : (durationMs(sandbox["command-timeout"]) ?? 0),
      "sandbox",
      "command-timeout",
    ),
    outputBytes: stated(sandbox?.output === undefined ? undefined : (bytes(sandbox.output) ?? 0), "sandbox", "output"),
    gitIdentity: stated(commands?.["git-identity"], "commands", "git-identity"),
    onAsk: stated(unattended?.["on-ask"], "unattended", "on-ask"),
    approvers: stated(approvals?.approvers, "approvals", "approvers"),
    codes: stated(approvals?.codes, "approvals", "codes"),
    tools: stated(tools?.allow && readList(tools.allow, ["tools", "allow"], reading, toolFault).flatMap(ownToolNames), "tools", "allow"),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as PolicyStatement["values"];
}

function readImage(image: string | undefined, reading: Reading): Stated<string> | undefined {
  if (image === undefined) return undefined;
  requireSound(image, ["sandbox", "image"], reading, imageFault);
  return { value: image, at: reading.at(["sandbox", "image"]) };
}

function readRoots(roots: readonly { path: string; access: "read" | "read-write" }[], reading: Reading): StatedRoot[] {
  return roots.flatMap((root, index) => {
    const at = reading.at(["workspace", "roots", index]);
    const path = rootPath(root.path, reading.context);
    if (path !== null && leadsOut(root.path, path, reading.context)) {
      reading.problems.push(
        errorAt(at, `The root ${JSON.stringify(root.path)} is a link that leads out of the workspace, to ${path}.`, {
          why: "Whoever writes in the workspace could make it mean any directory.",
          remedy: "Name the directory itself.",
        }),
      );
      return [];
    }
    if (path !== null) return [{ path, access: root.access, at }];
    reading.problems.push(
      errorAt(at, `The root ${JSON.stringify(root.path)} is no path.`, { remedy: "Write `.`, `~/…`, an absolute path or one relative to the workspace." }),
    );
    return [];
  });
}

/** Whether a root's text names a place in the workspace, and its links lead elsewhere. */
function leadsOut(text: string, real: string, context: PolicyContext): boolean {
  const { realPath: _links, ...unresolved } = context;
  const written = rootPath(text, unresolved);
  return written !== null && isWithin(written, context.workspace) && !isWithin(real, context.workspace);
}

function readPatterns(patterns: readonly string[], path: Path, reading: Reading): PathPattern[] {
  return readList(patterns, path, reading, patternFault).map((pattern, index) => ({
    pattern: absolutePattern(pattern, reading.context),
    at: reading.at([...path, index]),
  }));
}

function readRule(rule: RuleDocument, path: Path, reading: Reading, by: string): StatedRule[] {
  const at = reading.at(path);
  const verdicts = (["allow", "ask", "deny"] as const).filter((verdict) => rule[verdict] !== undefined);
  const [verdict] = verdicts;
  if (verdict === undefined || verdicts.length > 1) {
    reading.problems.push(errorAt(at, `The rule \`${rule.id}\` must have exactly one of allow, ask and deny.`));
    return [];
  }
  if (isBuiltInRule(rule.id)) {
    reading.problems.push(
      errorAt(reading.at([...path, "id"]), `\`${rule.id}\` is the id of a built-in rule.`, {
        why: "Whoever reads the log could not tell them apart.",
        remedy: "Choose another id.",
      }),
    );
  }
  const said = readCommands(rule[verdict] ?? "", verdict);
  if ("fault" in said) {
    reading.problems.push(
      errorAt(reading.at([...path, verdict]), `The words of the rule \`${rule.id}\` cannot be read: ${said.fault}.`, { remedy: said.remedy }),
    );
    return [];
  }
  const when = rule.when === undefined ? undefined : readWhen(rule.when, [...path, "when"], reading);
  if (when !== undefined && verdict === "allow") refuseAllow(`the rule \`${rule.id}\``, reading.at([...path, "when"]), reading);
  const programs = new Set(said.patterns.map((words) => wordsText(words.slice(0, 1))));
  const except = readExceptions(rule, { verdict, programs }, path, reading);
  const between = rule.between === undefined ? undefined : readBetween(rule.between, [...path, "between"], reading);
  const max = rule.max === undefined ? undefined : readMax(rule, verdict, [...path, "max"], reading);
  const examples = (key: "match" | "not-match"): Stated<string>[] =>
    (rule[key] ?? []).map((value, index) => ({ value, at: reading.at([...path, key, index]) }));
  const stated = {
    id: rule.id,
    verdict,
    because: rule.because,
    at,
    match: examples("match"),
    notMatch: examples("not-match"),
    ...(when === undefined || when === null ? {} : { when }),
    ...(except.length === 0 ? {} : { except }),
    ...(between === undefined ? {} : { between }),
    ...(max === undefined ? {} : { max: { ...max, by, level: 0 } }),
    ...(rule.expires === undefined ? {} : { expires: rule.expires }),
    ...(rule.owner === undefined ? {} : { owner: rule.owner }),
  };
  return said.patterns.map((words) => ({ ...stated, words, ...(said.group === undefined ? {} : { group: said.group }) }));
}

type Excepted = { readonly verdict: Verdict; readonly programs: ReadonlySet<string> };

function readExceptions({ id, except = [] }: RuleDocument, { verdict, programs }: Excepted, path: Path, reading: Reading): (readonly PatternWord[])[] {
  if (except.length > 0 && verdict === "allow") {
    reading.problems.push(
      errorAt(reading.at([...path, "except"]), `The rule \`${id}\` allows, and has exceptions.`, {
        why: "What an allow leaves out, another allow may let through.",
        remedy: "Write an `ask` or a `deny` of these commands.",
      }),
    );
  }
  return except.flatMap((text, index) => {
    const named = readRuleWords(text, "allow");
    const program = "words" in named ? wordsText(named.words.slice(0, 1)) : "";
    const read =
      program.includes("/") && !programs.has(program)
        ? { fault: "it names a program in a directory, and the rule does not", remedy: "Name the program as the rule does." }
        : named;
    if ("words" in read) return [read.words];
    const problem = `The exception ${JSON.stringify(text)} of the rule \`${id}\` cannot be read: ${read.fault}.`;
    reading.problems.push(errorAt(reading.at([...path, "except", index]), problem, { remedy: read.remedy }));
    return [];
  });
}

function readBetween(text: string, path: Path, reading: Reading): DailyHours | undefined {
  const hours = readHours(text);
  if (!("fault" in hours)) return hours;
  reading.problems.push(errorAt(reading.at(path), `The hours ${JSON.stringify(text)} cannot stand in \`between\`: ${hours.fault}.`, { remedy: hours.remedy }));
  return undefined;
}

function readMax({ id, max = "" }: RuleDocument, verdict: Verdict, path: Path, reading: Reading): Uses | undefined {
  const uses = readUses(max);
  if (uses !== null && verdict !== "deny") return uses;
  const [problem, more] =
    uses === null
      ? [`${JSON.stringify(max)} is no limit of the rule \`${id}\`.`, { remedy: "Write a number of times and what counts them: `3 per run`, `10 per 1h`." }]
      : [
          `The rule \`${id}\` denies, and has a limit.`,
          { why: "A denial that ends after some times would open what it denies.", remedy: "Put `max` on an `allow` or an `ask`." },
        ];
  reading.problems.push(errorAt(reading.at(path), problem, more));
  return undefined;
}

function programFault(program: string): string | null {
  return /^[A-Za-z0-9_[./+-][A-Za-z0-9_./+-]*$/u.test(program) ? null : "it is no name of a program; globs are not read here";
}
