import { z } from "zod";
import { IDENTITY_FAULT, IDENTITY_WORDS } from "../../base/identity-words.ts";
import { REGISTRIES } from "../network.ts";
import { SIGHTS } from "../label.ts";
import { EFFECT_KINDS } from "../../programs/effect.ts";
import { bytes } from "../text/quantity.ts";
import { hooksSchema } from "./hook-schema.ts";
import { calendarDay, duration, name, text, timeout } from "./schema-values.ts";

/** The shape of a policy file. A key that is not here is an error. What depends on more than one value is checked in compiling/. */

const verdict = z.enum(["allow", "ask", "deny"]);
const wholeNumber = (minimum: number, maximum: number) =>
  z.int(`must be a whole number`).min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`);
const size = z.string("must be a size such as 512m or 1GiB").refine((value) => bytes(value) !== null, "must be a size such as 512m, 1g or 1MiB");
const window = z.strictObject({ max: wholeNumber(0, 1_000_000), per: duration });
const tokenWindow = z.strictObject({ max: wholeNumber(0, 1_000_000_000_000), per: duration });
const usd = z.number("must be a number").min(0, "must not be negative").max(1_000_000, "must be at most 1000000");
const costWindow = z.strictObject({ "max-usd": usd, per: duration });
/** A child's entries are compared with its parent's, each with each. */
const MAX_ENTRIES = 1_000;
const entries = <T extends z.ZodType>(one: T) => z.array(one).max(MAX_ENTRIES, `has more than ${MAX_ENTRIES} entries`);
const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1, "must not be empty").max(8, "has more than 8 entries")]);

/** At most so much in a sliding window, or in each of several. */
const windowLimits = {
  actions: oneOrMore(window).optional().describe("Calls with more than reads and messages."),
  calls: oneOrMore(window).optional().describe("All calls of tools, reads and refused ones included."),
  asks: oneOrMore(window).optional().describe("Questions to a person."),
  tokens: oneOrMore(tokenWindow).optional().describe("Tokens that models read and write."),
  cost: oneOrMore(costWindow).optional().describe("What models cost, in US dollars."),
  minutes: oneOrMore(window).optional().describe("Wall-clock time of runs."),
};

const sight = z.enum(SIGHTS);
const when = z.union([sight, z.literal("always"), z.array(sight).min(1, "must not be empty").max(SIGHTS.length, "names one twice")]);
const tightened = z.strictObject({
  verdict,
  when: when.describe("What the model was given by then: it must have seen all of it. `always`: it only tightens."),
});
const effect = z.union([
  verdict,
  tightened,
  z
    .array(z.union([verdict, tightened]))
    .min(1, "must not be empty")
    .max(8, "has more than 8 entries"),
]);

const group = z.strictObject({
  group: name.describe("A list of commands that Warder ships: see docs/command-groups.md."),
  version: wholeNumber(1, 1_000_000).optional().describe("The list that was reviewed. Another one is an error; absent: whichever is shipped."),
});
const words = z.union([text, group]);

const rule = z.strictObject({
  id: name.describe("Stable name of the rule, unique over the policy and what it extends."),
  allow: words.optional().describe("Words of one simple command: `*` one word, `**` the rest, globs within a word; or `group: NAME`."),
  ask: words.optional(),
  deny: words.optional(),
  when: when.optional().describe("It speaks only once the model was given what is untrusted or sensitive. Not with `allow`."),
  because: text.describe("One sentence for who reads a refusal or reviews the policy."),
  except: z
    .array(text)
    .min(1, "must not be empty")
    .max(100, "has more than 100 entries")
    .optional()
    .describe("Commands that an `ask` or `deny` says nothing about, in the words of an `allow`. What allows them is another rule."),
  between: text.optional().describe("The hours of each day in which the rule speaks, such as `22:00-06:00 Europe/Berlin`."),
  max: text
    .optional()
    .describe("How often it may be used, such as `3 per run` or `10 per 1h`. Then an `allow` is silent, and an `ask` denies. Not with `deny`."),
  expires: calendarDay.optional().describe("The last day of the rule, in UTC. After it an `allow` no longer speaks; `ask` and `deny` still do."),
  owner: text.optional().describe("Who answers for the rule, for who reviews the policy."),
  match: z.array(text).min(1, "must not be empty").optional().describe("Commands that the rule must speak about; checked when the file is loaded."),
  "not-match": z.array(text).min(1, "must not be empty").optional().describe("Commands that the rule must not speak about."),
});

const method = z
  .string()
  .regex(/^[A-Z][A-Z-]{0,19}$/u, "must be a method in capitals, such as GET")
  .refine((value) => value !== "CONNECT" && value !== "TRACE", "cannot be CONNECT or TRACE");
const methods = z.array(method).min(1, "must not be empty");
const paths = z.array(text).min(1, "must not be empty");
const port = wholeNumber(1, 65_535);

const hostEntry = z.strictObject({
  host: text.describe("A host as in a plain entry, without `:PORT`."),
  port: port.optional().describe("Absent: 80 and 443."),
  methods: methods.optional().describe("The only methods. Absent, where `paths` are stated: GET and HEAD."),
  paths: paths.optional().describe("The only paths: `*` within a component, `**` for whole ones."),
});

const credential = z.strictObject({
  id: name.describe("Stable name of the credential, as the audit log shows it."),
  secret: z.strictObject({ env: text.optional(), file: text.optional() }).describe("Where the value comes from: a variable of Warder's own, or a file."),
  host: text.describe("One host name, which `allow` opens."),
  port: port.optional().describe("Absent: 443."),
  methods,
  paths,
  header: z.record(text, text).describe("One header: its name, and its value with `{secret}` or `{basic USER}`."),
  otherwise: z.enum(["refuse", "pass"]).optional().describe("What becomes of other requests to this host and port. Absent: refuse."),
});

const connectionLimit = { "bytes-up": size.optional(), "bytes-down": size.optional() };
const trafficLimit = z.strictObject({
  ...connectionLimit,
  "requests-per-minute": wholeNumber(1, 1_000_000).optional(),
  connections: wholeNumber(1, 10_000).optional(),
});

const network = z.strictObject({
  allow: entries(z.union([text, hostEntry]))
    .optional()
    .describe("Hosts that a sandbox may reach; an empty list is no network."),
  credentials: z.array(credential).max(100, "has more than 100 entries").optional(),
  registries: z
    .array(z.union([z.enum(REGISTRIES), z.strictObject({ name: z.enum(REGISTRIES), credentials: z.boolean("must be true or false") })]))
    .optional()
    .describe("Registries that packages may be read from, at the hosts of the person's own client configuration."),
  names: z.record(text, text).optional().describe("IPv4 addresses of host names, taken in place of DNS's."),
  limits: z.strictObject({ connection: z.strictObject(connectionLimit).optional(), host: trafficLimit.optional(), run: trafficLimit.optional() }).optional(),
});

const argumentName = z.string().regex(/^[A-Za-z_$][\w$.-]{0,99}$/u, "must be the name of an argument");
const mapping = z.strictObject({
  sends: z
    .union([text, z.array(text).min(1, "must not be empty")])
    .optional()
    .describe("Hosts that the call's content goes to."),
  paths: z
    .record(argumentName, z.enum(["read", "tree", "write"]))
    .optional()
    .describe("Arguments that hold paths: read, read with all below (`tree`), or written."),
  hosts: z.array(argumentName).optional().describe("Arguments that hold addresses which are asked."),
  commands: z.array(argumentName).optional().describe("Arguments that hold commands which are run."),
});

export const policySchema = z.strictObject({
  version: z.literal(1, "must be 1, the version of the language"),
  name,
  extends: text.optional().describe("The name of a shipped policy, or a path with a `/`, relative to this file."),
  autonomy: z.enum(["read-only", "supervised", "full"]).optional(),
  workspace: z
    .strictObject({
      roots: entries(z.strictObject({ path: text, access: z.enum(["read", "read-write"]) })).optional(),
      forbidden: z.array(text).optional().describe("Path patterns that are never read and never written."),
      keys: z
        .array(text)
        .optional()
        .describe(
          "Path patterns of files that hold private keys: forbidden, but for the reading of what holds nothing but certificates and other public parts.",
        ),
      protected: z.array(text).optional().describe("Path patterns that may be read and are never written."),
      sensitive: z.array(text).optional().describe("Path patterns of what is sensitive once it was read: for `when: sensitive`."),
    })
    .optional(),
  commands: z
    .strictObject({
      only: z.array(text).optional().describe("The only programs that may run."),
      "block-high-risk": z.boolean("must be true or false").optional(),
      effects: z.partialRecord(z.enum(EFFECT_KINDS), effect).optional().describe("A decision for an effect, whatever the autonomy."),
      rules: z.array(rule).optional(),
      "git-identity": z
        .strictObject({ name: z.string().regex(IDENTITY_WORDS, IDENTITY_FAULT), email: z.string().regex(IDENTITY_WORDS, IDENTITY_FAULT) })
        .optional()
        .describe("Who commits in the sandbox, in place of the person whose git configuration this machine has."),
    })
    .optional(),
  limits: z
    .strictObject({
      ...windowLimits,
      schedule: z.strictObject(windowLimits).optional().describe("The same for each scheduled job by itself."),
      run: z
        .strictObject({
          turns: wholeNumber(1, 100_000).optional(),
          tokens: wholeNumber(1, 1_000_000_000).optional(),
          minutes: wholeNumber(1, 100_000).optional(),
          actions: wholeNumber(0, 1_000_000).optional(),
          calls: wholeNumber(0, 1_000_000).optional(),
          asks: wholeNumber(0, 1_000_000).optional(),
          "max-usd": usd.optional(),
          "sub-agents": wholeNumber(0, 64).optional().describe("All together, those of sub-agents too. Absent: 8."),
          "sub-agent-depth": wholeNumber(0, 3).optional().describe("1: sub-agents have none of their own. Absent: 1."),
        })
        .optional()
        .describe("For one run from its start to its end, however often it is resumed."),
    })
    .optional(),
  sandbox: z
    .strictObject({
      runtime: z.enum(["docker", "bubblewrap"]).optional(),
      image: text.optional().describe("The image that commands run in: a name that `warder image add` prepared, or its digest, `sha256:…`."),
      "engine-runtime": z.enum(["runc", "runsc"]).optional().describe("What the engine starts a container with; `runsc` is gVisor."),
      workspace: z.enum(["transactional", "bind", "none"]).optional(),
      env: z.array(text).optional().describe("Names of the variables that reach a command."),
      network: network.optional(),
      memory: size.optional(),
      cpus: z.number("must be a number").min(0.1, "must be at least 0.1").max(1024, "must be at most 1024").optional(),
      processes: wholeNumber(8, 1_000_000).optional(),
      "command-timeout": timeout.optional(),
      output: size.optional(),
    })
    .optional(),
  approvals: z
    .strictObject({
      approvers: z
        .partialRecord(z.enum(EFFECT_KINDS), wholeNumber(2, 9))
        .optional()
        .describe("How many different persons must say yes to a call with this effect."),
      codes: z.array(z.enum(EFFECT_KINDS)).optional().describe("Effects to which a yes wants a one-time code."),
    })
    .optional(),
  unattended: z.strictObject({ "on-ask": z.enum(["park", "deny"]) }).optional(),
  tools: z
    .strictObject({
      allow: entries(text).optional(),
      deny: entries(text).optional(),
      mcp: z.record(text, mapping).optional().describe("What arguments of foreign tools mean, by the tools' names: SERVER__TOOL, or a pattern."),
    })
    .optional(),
  hooks: hooksSchema.optional().describe("Commands that run in a sandbox of their own at points of a run, and only restrict."),
});

/** A policy file as it was written. */
export type PolicyDocument = z.output<typeof policySchema>;
export type WhenDocument = z.output<typeof when>;
export type EffectDocument = z.output<typeof effect>;
export type RuleDocument = z.output<typeof rule>;
export type LimitsDocument = NonNullable<PolicyDocument["limits"]>;
export type NetworkDocument = z.output<typeof network>;

/** The JSON Schema of a policy file, for editors. */
export function policyJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(policySchema, { io: "input", unrepresentable: "any" }),
    title: "Warder policy",
    description: "What an agent may do: see docs/policy-language.md.",
  };
}

/** The keys of a policy file, each with the keys that it stands below; `""` for the file itself. */
export function policyKeys(): ReadonlyMap<string, readonly string[]> {
  const places = Object.entries(policySchema.shape).flatMap(([name, schema]) => [
    [name, ""] as const,
    ...Object.keys(keysBelow(schema)).map((key) => [key, name] as const),
  ]);
  return new Map([...Map.groupBy(places, ([key]) => key)].map(([key, found]) => [key, found.map(([, place]) => place)]));
}

function keysBelow(schema: z.ZodType): Readonly<Record<string, unknown>> {
  if (schema instanceof z.ZodOptional) return keysBelow(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodObject ? schema.shape : {};
}
