import { existsSync } from "node:fs";
import { relative } from "node:path";
import { z } from "zod";
import { AgentError } from "../../base/errors.ts";
import { type Sight, SIGHTS } from "../../policy/label.ts";
import type { SourcePosition } from "../../policy/decision.ts";
import { renderDiagnostics, type PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { momentMs } from "../../policy/text/day.ts";
import { durationMs } from "../../policy/text/quantity.ts";
import { schemaDiagnostics, type FileWords } from "../../policy/text/schema-diagnostics.ts";
import { readYaml } from "../../policy/text/yaml.ts";
import { policyPath, readPolicyFile, type PolicyFile } from "./files.ts";

const text = z.string().min(1, "must not be empty").max(10_000, "is longer than 10000 characters");
const WANTED = ["command", "read", "write", "connect", "invoke"] as const;

const request = {
  command: text.optional(),
  read: text.optional(),
  write: text.optional(),
  connect: z
    .string()
    .regex(/^[^\s:]+(?::\d{1,5})?$/u, "must be a host, or HOST:PORT")
    .optional(),
  invoke: text.optional(),
  seen: z.array(z.enum(SIGHTS)).optional(),
  rule: text.optional(),
};
const duration = z
  .string("must be a duration such as 60s, 15m or 1h")
  .refine((value) => durationMs(value) !== null, "must be a duration such as 60s, 15m, 1h or 1d, and at most 3650d");
const decision = z.enum(["allow", "ask", "deny"]);
const countOf = (one: Readonly<Record<string, unknown>>, keys: readonly string[]): number => keys.filter((key) => one[key] !== undefined).length;

/** What a program that reads the JSON Schema needs: there `refine` says nothing. */
const exactlyOne = (keys: readonly string[]) => ({ oneOf: keys.map((key) => ({ required: [key] })) });
const CASES = [...WANTED, "calls"];

const callSchema = z
  .strictObject({ ...request, after: duration.optional(), answer: z.enum(["granted", "refused"]).optional(), decision })
  .refine((one) => countOf(one, WANTED) === 1, `must have exactly one of ${WANTED.join(", ")}`)
  .refine(({ answer, decision: said }) => answer === undefined || said === "ask", {
    path: ["answer"],
    message: "answers a question, and here none is expected",
  })
  .meta(exactlyOne(WANTED));

const suiteSchema = z.strictObject({
  cases: z
    .array(
      z
        .strictObject({
          ...request,
          calls: z.array(callSchema).min(1, "must not be empty").max(1000, "has more than 1000 calls").optional(),
          containment: z.enum(["profile", "none"]).default("profile"),
          used: z.record(text, z.int("must be a whole number").min(0, "must be at least 0")).optional(),
          on: z
            .string("must be a day such as 2027-01-31")
            .refine((on) => momentMs(on) !== null, "must be a day of the calendar, such as 2027-01-31, or a moment of it in UTC, such as 2027-01-31T22:30:00Z")
            .optional(),
          decision: decision.optional(),
        })
        .refine((one) => countOf(one, CASES) === 1, `must have exactly one of ${CASES.join(", ")}`)
        .refine((one) => one.calls !== undefined || one.decision !== undefined, { path: ["decision"], message: "must be one of: allow, ask, deny" })
        .refine((one) => one.calls === undefined || countOf(one, ["decision", "rule", "used"]) === 0, {
          path: ["calls"],
          message: "have their own `decision` and `rule` each, and count uses themselves: state none of `decision`, `rule` and `used` beside them",
        })
        .meta(exactlyOne(CASES)),
    )
    .min(1, "must not be empty: a suite that tests nothing would pass"),
});

/** The JSON Schema of suites. What one key demands of another is left to the loader, but for the request, of which there is one. */
export function suiteJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(suiteSchema, { io: "input", unrepresentable: "any" }),
    title: "Warder suite of a policy",
    description: "Requests, and what a policy must decide about each: see docs/policy-language.md, section 9.",
  };
}

/** What one case asks about, what must be decided, and where it stands. */
export type SuiteCase = {
  readonly wanted: { readonly kind: (typeof WANTED)[number]; readonly text: string };
  readonly containment: "profile" | "none";
  /** What the model was given by then; absent: nobody knows. */
  readonly seen?: readonly Sight[];
  /** How often rules with a limit were used by then, by their ids; absent: none was. */
  readonly used?: Readonly<Record<string, number>>;
  /** When it is asked: a day, `2027-01-31`, or a moment, `2027-01-31T22:30:00Z`; absent: now. */
  readonly on?: string;
  readonly decision: "allow" | "ask" | "deny";
  /** The rule that must decide it; absent: any. */
  readonly rule?: string;
  /** Of calls that follow each other in one run; absent: it is asked alone. */
  readonly inTurn?: {
    readonly isFirst: boolean;
    /** How long it comes after the one before. */
    readonly afterMs: number;
    /** A person would say no. */
    readonly isRefused: boolean;
  };
  readonly at: SourcePosition;
};

const WORDS: FileWords = {
  whole: "The suite",
  key: "a key of a suite of tests",
  misspelt: "A misspelt key would be a test of nothing.",
  manual: "docs/policy-language.md, section 9",
  name: "a name",
};

/** Where the suite of a policy lies. */
export function suitePath(nameOrPath: string, directory: string): string {
  return policyPath(nameOrPath, directory).replace(/(?:\.ya?ml)?$/u, (ending) => `.test${ending}`);
}

/**
 * Reads `NAME.test.yaml` beside a policy, which is named as for a run. Throws `bad-policy` with every diagnostic when there is none, it has no
 * case, or it says what cannot be.
 */
export function readPolicySuite(nameOrPath: string, directory: string): readonly SuiteCase[] {
  const path = suitePath(nameOrPath, directory);
  const file = readPolicyFile(path, shortOf(path, directory), "suite of tests");
  const reading = readYaml(file.file, file.text);
  if ("diagnostics" in reading) throw badSuite(file, reading.diagnostics);
  const parsed = suiteSchema.safeParse(reading.text.value);
  if (!parsed.success) throw badSuite(file, schemaDiagnostics(parsed.error.issues, reading.text, WORDS));
  return parsed.data.cases.flatMap((one, index): readonly SuiteCase[] => {
    const { calls, used, seen, rule, decision: said } = one;
    const common = { containment: one.containment, ...(one.on === undefined ? {} : { on: one.on }) };
    if (calls === undefined)
      return [
        {
          ...caseOf(one, { seen, rule, decision: said ?? "deny" }),
          ...common,
          ...(used === undefined ? {} : { used }),
          at: reading.text.at(["cases", index]),
        },
      ];
    return calls.map((call, turn) => ({
      ...caseOf(call, { seen: call.seen ?? seen, rule: call.rule, decision: call.decision }),
      ...common,
      inTurn: { isFirst: turn === 0, afterMs: durationMs(call.after ?? "") ?? 0, isRefused: call.answer === "refused" },
      at: reading.text.at(["cases", index, "calls", turn]),
    }));
  });
}

type Asked = Readonly<Partial<Record<(typeof WANTED)[number], string | undefined>>>;
type Said = { readonly seen: readonly Sight[] | undefined; readonly rule: string | undefined; readonly decision: SuiteCase["decision"] };

function caseOf(asked: Asked, { seen, rule, decision: said }: Said): Pick<SuiteCase, "wanted" | "seen" | "rule" | "decision"> {
  const kind = WANTED.find((key) => asked[key] !== undefined) ?? "command";
  return {
    wanted: { kind, text: asked[kind] ?? "" },
    ...(seen === undefined ? {} : { seen }),
    decision: said,
    ...(rule === undefined ? {} : { rule }),
  };
}

/** Where what a suite leaves undecided is kept: `NAME.undecided.txt` beside the policy. */
export function snapshotPath(nameOrPath: string, directory: string): string {
  return policyPath(nameOrPath, directory).replace(/(?:\.ya?ml)?$/u, ".undecided.txt");
}

/** The lines of a snapshot; null: there is none. Throws `bad-policy` where it cannot be read. */
export function readSnapshot(path: string, directory: string): readonly string[] | null {
  if (!existsSync(path)) return null;
  return readPolicyFile(path, shortOf(path, directory), "snapshot of a suite")
    .text.split("\n")
    .filter((line) => line !== "");
}

function shortOf(path: string, directory: string): string {
  const short = relative(directory, path);
  return short.startsWith("..") ? path : short;
}

function badSuite({ file, text: source }: PolicyFile, diagnostics: readonly PolicyDiagnostic[]): AgentError {
  return new AgentError("bad-policy", renderDiagnostics(diagnostics, new Map([[file, source]])));
}
