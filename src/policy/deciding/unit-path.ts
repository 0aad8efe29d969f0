import type { PathOperand } from "../../shell/model/model.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import type { Facts } from "../facts.ts";
import { judgePath, type AskedPath, type PathJudgement, type PathUse } from "./path-access.ts";
import { isWithin, normalisePath, pathFault } from "../matching/paths.ts";
import { globReaches, type Touch } from "../matching/path-patterns.ts";
import type { PathPattern } from "../policy.ts";
import type { UnitCase } from "./units.ts";

/** What the policy and the facts say of a unit's path. */
export type PathCase = {
  readonly use: PathUse;
  readonly operand: PathOperand["kind"];
  /** Of the path; of a pattern's directory; null for a dynamic path. */
  readonly judgement: PathJudgement | null;
  /** Not null: the text is no path. */
  readonly fault: string | null;
  readonly forbidden: PathPattern | null;
  readonly protected: PathPattern | null;
  readonly isOwn: boolean;
  /** A pattern may match a file that is forbidden, or protected and written. */
  readonly mayTouch: boolean;
};

/** Null for a unit without a path. */
export function pathCaseOf(policy: CompiledPolicy, { unit, path, isOrdinary }: UnitCase, facts: Facts): PathCase | null {
  if (path === null) return null;
  const use = unit.kind === "deletes" ? "delete" : unit.kind === "writes" ? "write" : "read";
  if (path.kind === "literal")
    return isOrdinary ? soundCase(policy, { asked: path.path, written: path.path }, use, facts) : literalCase(policy, path.path, use, facts);
  const glob = path.kind === "pattern" ? path.glob : `${escapeGlob(path.prefix)}*`;
  const directory = path.kind === "pattern" ? path.directory : null;
  const fault = pathFault(path.kind === "pattern" ? path.glob : `/${path.prefix}`);
  const judgement = directory === null || fault !== null ? null : judgePath(policy, { asked: directory, written: normalisePath(directory) }, use, facts);
  const forbidden = policy.forbidden.touch(glob);
  const protectedTouch = use === "read" ? NO_TOUCH : policy.protected.touch(glob);
  return {
    use,
    operand: path.kind,
    judgement,
    fault,
    forbidden: pointedAt(forbidden) ?? judgement?.forbidden ?? null,
    protected: pointedAt(protectedTouch) ?? judgement?.protected ?? null,
    isOwn: judgement?.isOwn === true || facts.ownPaths.some((own) => globReaches(glob, own)),
    mayTouch: forbidden.kind !== "no" || protectedTouch.kind !== "no",
  };
}

const NO_TOUCH: Touch = { kind: "no" };

function literalCase(policy: CompiledPolicy, path: string, use: PathUse, facts: Facts): PathCase {
  const fault = pathFault(path);
  if (fault !== null) return { use, operand: "literal", judgement: null, fault, forbidden: null, protected: null, isOwn: false, mayTouch: false };
  return soundCase(policy, { asked: path, written: normalisePath(path) }, use, facts);
}

/** Of a literal path without a fault. */
function soundCase(policy: CompiledPolicy, path: AskedPath, use: PathUse, facts: Facts): PathCase {
  const { written } = path;
  const judgement = judgePath(policy, path, use, facts);
  const below = use === "delete" && !isAboveRoot(policy, written) ? written : null;
  const leading = use === "write" && LEADS_ELSEWHERE.test(written) ? written : below;
  return {
    use,
    operand: "literal",
    judgement,
    fault: null,
    forbidden: judgement.forbidden ?? (below === null ? null : policy.forbidden.findBelow(below)),
    protected: judgement.protected ?? (leading === null ? null : policy.protected.findBelow(leading)),
    isOwn: judgement.isOwn,
    mayTouch: false,
  };
}

/** As a file or a link, `.git` leads to a directory elsewhere, with its configuration and hooks; moved there, a directory brings its own, and `.hg` does so too. */
const LEADS_ELSEWHERE = /\/\.(?:git|hg)$/u;

/** A root or a directory above one. Removing it counts as wide, and the mounts keep what is protected in it. */
function isAboveRoot({ policy }: CompiledPolicy, path: string): boolean {
  return policy.workspace.roots.some((root) => isWithin(root.path, path));
}

function pointedAt(touch: Touch): PathPattern | null {
  return touch.kind === "pointed" ? touch.pattern : null;
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]!@+()]/gu, "\\$&");
}
