import type { SourcePosition, UnitDecision } from "../decision.ts";
import { rootAccess } from "../deciding/path-access.ts";
import { literalText, parseGlob } from "../matching/glob.ts";
import { PathPatternSet } from "../matching/path-patterns.ts";
import { isWithin } from "../matching/paths.ts";
import type { PathPattern, Policy } from "../policy.ts";
import { type Budget, SPENT } from "./budget.ts";
import type { Change } from "./change.ts";
import { commandText } from "./command-examples.ts";
import { plainWord } from "./glob-classes.ts";
import type { Places, Wanted } from "./wanted.ts";

type Kind = "forbidden" | "keys" | "protected";

/** What differs in the patterns of paths and in the roots. */
export function pathChanges(before: Policy, after: Policy, places: Places, budget: Budget): readonly Change[] {
  const dirs = directories(before, after, places);
  return [
    ...(["forbidden", "keys", "protected"] as const).flatMap((kind) => {
      const [covered, covers] = [new PathPatternSet(patternsOf(kind, before)), new PathPatternSet(patternsOf(kind, after))];
      return [
        ...missingIn(kind, before, after).map((pattern) => patternChange(kind, pattern, { isGone: true, other: covers, dirs, budget })),
        ...missingIn(kind, after, before).map((pattern) => patternChange(kind, pattern, { isGone: false, other: covered, dirs, budget })),
      ];
    }),
    ...sensitiveChanges(before, after),
    ...rootChanges(before, after, places, budget),
    ...runtimeChanges(before, after),
  ];
}

const OUTSIDE: ReadonlySet<string> = new Set(["outside-roots"]);

/** Whatever else names a path reads it: code that runs, a file that is sent. */
function isWrite({ unit: { kind } }: UnitDecision): boolean {
  return kind === "writes" || kind === "deletes";
}

/** Kinds whose risk depends on the place of what is read. */
function isRead({ unit: { kind } }: UnitDecision): boolean {
  return kind === "reads" || kind === "secrets";
}

/** Under docker a path outside the roots is the image's, which may be read; under bubblewrap it is the machine's. */
function runtimeChanges(before: Policy, after: Policy): readonly Change[] {
  const [was, is] = [before.sandbox.runtime, after.sandbox.runtime];
  if (was === is) return [];
  const at = after.positions?.get("sandbox.runtime") ?? before.positions?.get("sandbox.runtime");
  return [
    {
      part: { what: "sandbox.runtime", was, is, ...(at === undefined ? {} : { at }) },
      mayLoosen: is === "docker",
      mayTighten: is === "bubblewrap",
      candidates: [
        { kind: "read", path: "/opt/a" },
        ...["cat /opt/a", "cat /usr/a", "ls -R /", "cat /etc/a", "ls /usr/*", "node /opt/a", "/opt/a"].map((text): Wanted => ({ kind: "command", text })),
      ],
      isCauseOf: (one, two) => [one, two].some(({ rule }) => (OUTSIDE.has(rule.id) && !isWrite(one)) || (rule.step === "baseline" && isRead(one))),
      isDerived: true,
    },
  ];
}

function patternsOf(kind: Kind, { workspace }: Policy): readonly PathPattern[] {
  if (kind === "protected") return workspace.protected;
  return workspace.forbidden.filter(({ isOfKeys }) => (isOfKeys === true) === (kind === "keys"));
}

function missingIn(kind: Kind, policy: Policy, other: Policy): readonly PathPattern[] {
  const known = new Set(patternsOf(kind, other).map(({ pattern }) => pattern));
  return patternsOf(kind, policy).filter(({ pattern }) => !known.has(pattern));
}

/** Where a pattern that holds anywhere is looked at: below each root, in the home, in scratch space and in the image. */
function directories(before: Policy, after: Policy, { workspace, home }: Places): readonly string[] {
  const roots = [before, after].flatMap(({ workspace: { roots } }) => roots.map(({ path }) => path));
  return [...new Set([workspace, ...roots, home, "/tmp", "/opt"])];
}

/** What it is to look a path up in a set of patterns. */
const FIND_STEPS = 50;

type Look = { readonly isGone: boolean; readonly other: PathPatternSet; readonly dirs: readonly string[]; readonly budget: Budget };

function patternChange(kind: Kind, pattern: PathPattern, { isGone, other, dirs, budget }: Look): Change {
  const rule = kind === "protected" ? "protected-path" : "forbidden-path";
  const decides = ({ rule: { id, at } }: UnitDecision): boolean => id === rule && at?.line === pattern.at.line && at.file === pattern.at.file;
  // A pattern is more than the files that it covers: what leads to them is not removed, and no glob may aim at them. So another one that covers the same files is no proof.
  const isLooked = budget.take(2 * FIND_STEPS * MAX_TAILS * dirs.length * Math.ceil(pattern.pattern.length / 16));
  const paths = isLooked ? instancesOf(pattern.pattern, dirs, other) : [];
  return {
    part: { what: `${kind} ${pattern.pattern}`, was: isGone ? kind : null, is: isGone ? null : kind, at: pattern.at },
    mayLoosen: isGone,
    mayTighten: !isGone,
    candidates: [...paths.flatMap(usesOf), ...globsFor(pattern.pattern, dirs)],
    ...(isLooked ? {} : { limit: SPENT }),
    isCauseOf: (one, two) => decides(isGone ? one : two),
  };
}

function usesOf(path: string): readonly Wanted[] {
  const word = commandText([path]);
  const above = commandText([path.slice(0, Math.max(path.lastIndexOf("/"), 1))]);
  return [
    { kind: "read", path },
    { kind: "write", path },
    { kind: "command", text: `cat ${word}` },
    { kind: "command", text: `touch ${word}` },
    { kind: "command", text: `rm -r ${above}` },
  ];
}

/** Globs whose own words aim at what the pattern names. */
function globsFor(pattern: string, dirs: readonly string[]): readonly Wanted[] {
  const name =
    pattern
      .replace(/(?:\/\*\*)+$/u, "")
      .split("/")
      .at(-1) ?? "";
  const text = literalText(parseGlob(name));
  if (text === null || text.length < 3 || !/^[\w.-]+$/u.test(text)) return [];
  const start = dirs[0] ?? "";
  return [`${text.slice(0, 3)}*`, `${text.slice(0, 2)}*${text.at(-1) ?? ""}`, `${text.slice(0, -1)}?`].map((glob) => ({
    kind: "command",
    text: `cat ${commandText([start])}/${glob}`,
  }));
}

/** Paths that the pattern covers, the shortest in each place; those first that nothing of the other policy covers. */
function instancesOf(pattern: string, dirs: readonly string[], covered: PathPatternSet): readonly string[] {
  const components = pattern
    .replace(/(?:\/\*\*)+$/u, "")
    .split("/")
    .slice(1);
  const isFloating = components[0] === "**";
  const tails = tailsOf(components.filter((component) => component !== "**"));
  const paths = tails.flatMap((tail) => (isFloating ? dirs.map((directory) => `${directory}/${tail}`) : [`/${tail}`]));
  const below = paths.flatMap((path) => [path, `${path}/a`]);
  return [...below.filter((path) => covered.find(path) === null), ...paths.filter((path) => covered.find(path) !== null).slice(0, 2)].slice(0, 24);
}

const MAX_TAILS = 12;

function tailsOf(components: readonly string[]): readonly string[] {
  let tails: readonly string[] = [""];
  for (const component of components) {
    const names = namesOf(component);
    tails = tails.flatMap((tail) => names.map((name) => (tail === "" ? name : `${tail}/${name}`))).slice(0, MAX_TAILS);
  }
  return tails;
}

/** Of one component, so many groups say what its names are; any further one stands for nothing. */
const MAX_GROUPS = 8;

/** Names that a component matches, as far as a group says what they are. */
function namesOf(component: string): readonly string[] {
  let texts: readonly string[] = [component];
  for (let count = 0; count < MAX_GROUPS; count += 1) texts = texts.flatMap(withoutGroup).slice(0, MAX_TAILS);
  return texts.flatMap((text) => {
    const word = plainWord(parseGlob(text));
    return /^[.]{0,2}$/u.test(word) ? ["a"] : [word, ...(text.startsWith("*") ? [`b${word}`] : [])];
  });
}

/** The component with each text that its first group stands for. */
function withoutGroup(component: string): readonly string[] {
  const group = /^(.*?)([!@+?*])\(([^()]*)\)(.*)$/u.exec(component);
  if (group === null) return [component];
  const [, start = "", mark = "", inside = "", end = ""] = group;
  return (mark === "!" ? ["a", "local", "x1"] : inside.split("|")).map((middle) => `${start}${middle}${end}`);
}

/** What is marked as sensitive decides something only through a `when`, and only once a run has read it. */
function sensitiveChanges(before: Policy, after: Policy): readonly Change[] {
  const conditions = ({ commands: { rules, tightened = [] } }: Policy): boolean =>
    [...rules, ...tightened].some(({ when }) => when?.includes("sensitive") === true);
  if (!conditions(before) && !conditions(after)) return [];
  const missing = (one: Policy, other: Policy): readonly PathPattern[] => {
    const known = new Set((other.workspace.sensitive ?? []).map(({ pattern }) => pattern));
    return (one.workspace.sensitive ?? []).filter(({ pattern }) => !known.has(pattern));
  };
  const change = ({ pattern, at }: PathPattern, isGone: boolean): Change => ({
    part: { what: `sensitive ${pattern}`, was: isGone ? "sensitive" : null, is: isGone ? null : "sensitive", at },
    mayLoosen: isGone && conditions(before),
    mayTighten: !isGone && conditions(after),
    candidates: [],
    isCauseOf: () => false,
    limit: "it counts once a run has read such a file, which no single call shows",
  });
  return [...missing(before, after).map((pattern) => change(pattern, true)), ...missing(after, before).map((pattern) => change(pattern, false))];
}

function rootChanges(before: Policy, after: Policy, { home }: Places, budget: Budget): readonly Change[] {
  const roots = before.workspace.roots.length + after.workspace.roots.length;
  if (JSON.stringify(before.workspace.roots) === JSON.stringify(after.workspace.roots)) return [];
  const paths = [...new Set([before, after].flatMap(({ workspace: { roots } }) => roots.map(({ path }) => path)))];
  const rank = (policy: Policy, path: string): number => ["none", "read", "read-write"].indexOf(rootAccess(policy, path) ?? "none");
  const at: SourcePosition | undefined = after.positions?.get("workspace.roots") ?? before.positions?.get("workspace.roots");
  const place = at === undefined ? {} : { at };
  const changes = paths.flatMap((path): readonly Change[] => {
    const [was, is] = budget.take(ROOT_STEPS * roots) ? [rank(before, path), rank(after, path)] : [0, 0];
    if (was === is) return [];
    const inner = `${path === "/" ? "" : path}/a`;
    const word = commandText([inner]);
    const texts = [
      `touch ${word}`,
      `cat ${word}`,
      `rm -r ${word}`,
      `ls ${commandText([path])}`,
      `cd ${commandText([path])} && git commit -m a`,
      `cat ${commandText([path])}/../b`,
    ];
    return [
      {
        part: { what: `root ${path}`, was: rootAccess(before, path), is: rootAccess(after, path), ...place },
        // A place outside every root is the image's or scratch space: less is asked about reads there.
        mayLoosen: is > was || is === 0 || (is === 1 && was === 2 && isWithin(path, home)),
        mayTighten: is < was || was === 0,
        candidates: [{ kind: "write", path: inner }, { kind: "read", path: inner }, ...texts.map((text): Wanted => ({ kind: "command", text }))],
        isCauseOf: (one: UnitDecision, two: UnitDecision) =>
          [one, two].some(({ unit }) => unit.subject.includes(path)) ||
          [one, two].some(({ rule }) => rule.id === "outside-roots" || rule.step === "allow-rule"),
      },
    ];
  });
  if (!budget.isSpent) return changes;
  const part = {
    what: "workspace.roots",
    was: `${String(before.workspace.roots.length)} roots`,
    is: `${String(after.workspace.roots.length)} roots`,
    ...place,
  };
  const isCauseOf = (one: UnitDecision, two: UnitDecision): boolean => [one, two].some(({ rule }) => rule.id === "outside-roots" || rule.step === "allow-rule");
  return [...changes, { part, mayLoosen: true, mayTighten: true, candidates: [], isCauseOf, limit: SPENT }];
}

/** What it is to hold one path against one root of each policy. */
const ROOT_STEPS = 40;
