import { relative } from "node:path";
import { z } from "zod";
import { AgentError } from "../../base/errors.ts";
import { type Sight, SIGHTS } from "../../policy/label.ts";
import type { SourcePosition } from "../../policy/decision.ts";
import { renderDiagnostics, type PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { momentMs } from "../../policy/text/day.ts";
import { schemaDiagnostics, type FileWords } from "../../policy/text/schema-diagnostics.ts";
import { readYaml } from "../../policy/text/yaml.ts";
import { policyPath, readPolicyFile, type PolicyFile } from "./files.ts";

const text = z.string().min(1, "must not be empty").max(10_000, "is longer than 10000 characters");
const WANTED = ["command", "read", "write", "connect", "invoke"] as const;

const suiteSchema = z.strictObject({
  cases: z
    .array(
      z
        .strictObject({
          command: text.optional(),
          read: text.optional(),
          write: text.optional(),
          connect: z
            .string()
            .regex(/^[^\s:]+(?::\d{1,5})?$/u, "must be a host, or HOST:PORT")
            .optional(),
          invoke: text.optional(),
          containment: z.enum(["profile", "none"]).default("profile"),
          seen: z.array(z.enum(SIGHTS)).optional(),
          used: z.record(text, z.int("must be a whole number").min(0, "must be at least 0")).optional(),
          on: z
            .string("must be a day such as 2027-01-31")
            .refine((on) => momentMs(on) !== null, "must be a day of the calendar, such as 2027-01-31, or a moment of it in UTC, such as 2027-01-31T22:30:00Z")
            .optional(),
          decision: z.enum(["allow", "ask", "deny"]),
          rule: text.optional(),
        })
        .refine((one) => WANTED.filter((key) => one[key] !== undefined).length === 1, `must have exactly one of ${WANTED.join(", ")}`),
    )
    .min(1, "must not be empty: a suite that tests nothing would pass"),
});

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
  const short = relative(directory, path);
  const file = readPolicyFile(path, short.startsWith("..") ? path : short, "suite of tests");
  const reading = readYaml(file.file, file.text);
  if ("diagnostics" in reading) throw badSuite(file, reading.diagnostics);
  const parsed = suiteSchema.safeParse(reading.text.value);
  if (!parsed.success) throw badSuite(file, schemaDiagnostics(parsed.error.issues, reading.text, WORDS));
  return parsed.data.cases.map((one, index) => {
    const kind = WANTED.find((key) => one[key] !== undefined) ?? "command";
    const { containment, seen, used, on, decision, rule } = one;
    return {
      wanted: { kind, text: one[kind] ?? "" },
      containment,
      ...(seen === undefined ? {} : { seen }),
      ...(used === undefined ? {} : { used }),
      ...(on === undefined ? {} : { on }),
      decision,
      ...(rule === undefined ? {} : { rule }),
      at: reading.text.at(["cases", index]),
    };
  });
}

function badSuite({ file, text: source }: PolicyFile, diagnostics: readonly PolicyDiagnostic[]): AgentError {
  return new AgentError("bad-policy", renderDiagnostics(diagnostics, new Map([[file, source]])));
}
