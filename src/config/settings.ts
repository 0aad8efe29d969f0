import { z } from "zod";
import { AgentError } from "../base/errors.ts";
import { type PolicyDiagnostic, renderDiagnostics, errorAt } from "../policy/text/diagnostic.ts";
import type { CommandHook } from "../policy/hook.ts";
import { hooksSchema } from "../policy/language/hook-schema.ts";
import { readHooks } from "../policy/language/read-hooks.ts";
import type { SecretSource } from "../policy/network.ts";
import { durationMs } from "../policy/text/quantity.ts";
import { schemaDiagnostics, type FileWords } from "../policy/text/schema-diagnostics.ts";
import { readYaml } from "../policy/text/yaml.ts";
import type { McpServer } from "../mcp/server.ts";
import type { ApiDocument } from "../openapi/api.ts";
import type { SearchEngine } from "../tools/contract/tool.ts";
import { type ModelSettings, modelSettingsOf, modelSettingsSchema } from "./model-settings.ts";
import { mcpServersOf, mcpSettingsSchema } from "./mcp-settings.ts";
import { apiDocumentsOf, openapiSettingsSchema } from "./openapi-settings.ts";
import { REVISION } from "./policy/base-revision.ts";
import type { ProjectPolicies } from "./policy/load.ts";
import { searchSettingsSchema } from "./search-settings.ts";

/** Where questions are posted. The secret is named here and lies elsewhere. */
export type WebhookSettings = { readonly name: string; readonly url: URL; readonly secret: SecretSource; readonly holder: string };

/** Where answers over HTTP are taken on this machine, and the address that a receiver reaches that by. */
export type AnswerSettings = { readonly listen: ListenAddress; readonly url: URL };

/** How a request for review is opened: a program with its words, in which placeholders stand for a branch; and the remote that the branch is pushed to. */
export type RequestSettings = { readonly command: readonly string[]; readonly remote: string };

/** What may stand in a word of that command: `{branch}`. */
export const REQUEST_PLACEHOLDERS = ["branch", "base", "title", "body", "run", "remote"] as const;

export type ListenAddress = { readonly host: "127.0.0.1" | "::1"; readonly port: number };

/** What the user configured for all runs of this account. Policies and workspaces have no part in it. */
export type Settings = {
  readonly webhooks: readonly WebhookSettings[];
  readonly answers: AnswerSettings | null;
  /** Where the end of the audit log is kept outside of it, as `--to` of `warder audit checkpoint` takes it. */
  readonly anchor: string | null;
  /** Records that are older go into an archive. */
  readonly archiveAfterMs: number | null;
  readonly models: ModelSettings;
  readonly requests: RequestSettings | null;
  readonly search: SearchEngine | null;
  readonly mcp: readonly McpServer[];
  readonly openapi: readonly ApiDocument[];
  /** Directories of folders with a `SKILL.md`. */
  readonly skills: readonly string[];
  /** Behind those of every policy. */
  readonly hooks: readonly CommandHook[];
  /** Where the policies of projects are read from, and which texts count as confirmed. */
  readonly projects: ProjectPolicies;
};

const MAX_WEBHOOKS = 8;
const DEFAULT_LISTEN = "127.0.0.1:8717";
const NAME = /^[a-z][a-z0-9-]{0,31}$/u;

const problem = (message: string) => ({ error: message });

const webhookSchema = z.strictObject({
  name: z.string().regex(NAME, problem("A name has lower-case letters, digits and dashes, begins with a letter, and has at most 32 of them.")),
  url: z
    .string()
    .refine(
      (text) => deliverableUrl(text) !== null,
      problem("A webhook goes to an https URL, or to http on this machine (127.0.0.1, [::1], localhost), without a user name."),
    ),
  secret: z.union(
    [
      z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u) }).transform(({ env }): SecretSource => ({ kind: "variable", name: env })),
      z.strictObject({ file: z.string().startsWith("/") }).transform(({ file }): SecretSource => ({ kind: "file", path: file })),
    ],
    problem("A secret comes from `{ env: NAME }` or `{ file: /ABSOLUTE/PATH }`."),
  ),
  holder: z.string().regex(NAME, problem("The holder is the person who gets the webhook: a name as for `warder approvals enroll`.")),
});

const settingsSchema = z.strictObject({
  version: z.literal(1, "must be 1, the version of this kind of file"),
  approvals: z
    .strictObject({
      webhooks: z
        .array(webhookSchema)
        .max(MAX_WEBHOOKS)
        .refine((webhooks) => new Set(webhooks.map(({ name }) => name)).size === webhooks.length, problem("Two webhooks have one name."))
        .default([]),
      answers: z
        .strictObject({
          listen: z
            .string()
            .refine(
              (text) => listenAddress(text) !== null,
              problem("Answers are taken on loopback alone: 127.0.0.1:PORT or [::1]:PORT. Put a TLS proxy in front."),
            )
            .default(DEFAULT_LISTEN),
          url: z.string().refine((text) => deliverableUrl(text) !== null, problem("Answers are posted to an https URL, or to http on this machine.")),
        })
        .optional(),
    })
    .default({ webhooks: [] }),
  audit: z
    .strictObject({
      anchor: z.string().min(1).optional(),
      "archive-after": z
        .string()
        .refine((text) => (durationMs(text) ?? 0) >= 86_400_000, problem("A time of at least a day: 90d."))
        .optional(),
    })
    .default({}),
  ...modelSettingsSchema,
  requests: z
    .strictObject({
      command: z
        .array(z.string().min(1))
        .min(1)
        .max(64)
        .refine(([program = ""]) => program.startsWith("/"), problem("A command begins with the absolute path of a program: [/usr/bin/gh, pr, create, …]."))
        .refine((words) => words.some((word) => word.includes("{branch}")), problem("A command names the branch: a word with {branch}."))
        .refine(
          ([program = "", ...words]) => !program.includes("{") && unknownPlaceholder(words) === undefined,
          problem(`A placeholder is one of ${REQUEST_PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}, and stands in a word after the program.`),
        ),
      remote: z
        .string()
        .regex(/^[A-Za-z0-9][\w.-]{0,99}$/u, problem("A remote is named as `git remote` lists it."))
        .default("origin"),
    })
    .optional(),
  search: searchSettingsSchema.optional(),
  mcp: mcpSettingsSchema.default({}),
  openapi: openapiSettingsSchema.default({}),
  skills: z
    .array(z.string().max(4096).startsWith("/", problem("A directory of skills is named by its absolute path.")))
    .max(8)
    .default([])
    .describe("Directories whose folders are skills. You confirm each skill: warder skills trust NAME"),
  hooks: hooksSchema.default([]),
  policy: z
    .strictObject({
      from: z
        .string()
        .refine((text) => REVISION.test(text) && !text.includes(".."), problem("A revision is named as git names it: origin/main, or a commit."))
        .optional()
        .describe("The revision of git from which a policy in the workspace's repository is read, whatever stands in the working tree"),
      sha256: z
        .array(z.string().regex(/^[0-9a-f]{64}$/u, problem("A digest is 64 hexadecimal digits: sha256sum FILE")))
        .max(64)
        .default([])
        .describe("Digests of policy files that count as confirmed, as `warder policy trust` does it"),
    })
    .default({ sha256: [] }),
});

function unknownPlaceholder(words: readonly string[]): string | undefined {
  const known = new Set<string>(REQUEST_PLACEHOLDERS.map((name) => `{${name}}`));
  return words.flatMap((word) => word.match(/\{[a-z-]*\}/gu) ?? []).find((found) => !known.has(found));
}

/** Faults of form: a key that there is none of, a value of another type, a version that is not known. */
const FORM: ReadonlySet<string> = new Set(["unrecognized_keys", "invalid_type", "invalid_value"]);

const WORDS: FileWords = {
  whole: "The file of settings",
  key: "a key of the settings",
  misspelt: "A misspelt key would be something that nobody does.",
  manual:
    "docs/guides/approvals.md, docs/guides/models.md, docs/guides/changes.md, docs/guides/network.md, docs/guides/mcp-servers.md, docs/guides/openapi.md, docs/guides/skills.md, docs/audit.md, docs/guides/base-revision.md and docs/hooks.md",
  name: "a name",
};

/** What the text of a file of settings says. Throws `bad-configuration` with line and column. */
export function settingsIn(path: string, source: string): Settings {
  const sources = new Map([[path, source]]);
  const reading = readYaml(path, source);
  if ("diagnostics" in reading) throw new AgentError("bad-configuration", renderDiagnostics(reading.diagnostics, sources));
  const parsed = settingsSchema.safeParse(reading.text.value);
  const problems: PolicyDiagnostic[] = [];
  if (parsed.success) {
    const hooks = readHooks(parsed.data.hooks, ["hooks"], { at: reading.text.at, problems });
    // Tools are named by it, and what was confirmed of the one would count for the other.
    for (const name of Object.keys(parsed.data.openapi).filter((each) => Object.hasOwn(parsed.data.mcp, each)))
      problems.push(errorAt(reading.text.at(["openapi", name]), `An MCP server and an OpenAPI document are both called ${name}.`));
    if (problems.length === 0) return settingsOf(parsed.data, hooks);
    throw new AgentError("bad-configuration", renderDiagnostics(problems, sources));
  }
  const diagnostics = parsed.error.issues.flatMap((issue) =>
    // What a value has to be is said by this schema in sentences of its own.
    FORM.has(issue.code)
      ? schemaDiagnostics([issue], reading.text, WORDS)
      : [errorAt(reading.text.at(issue.path), `\`${issue.path.join(".")}\`: ${issue.message}`)],
  );
  throw new AgentError("bad-configuration", renderDiagnostics(diagnostics, sources));
}

/** The JSON Schema of the settings, for editors. */
export function settingsJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(settingsSchema, { io: "input", unrepresentable: "any" }),
    title: "Warder settings",
    description:
      "What the user configures for all runs of an account: models, webhooks, answers over HTTP, the audit log's anchor, how requests for review are opened, what searches the web, MCP servers, OpenAPI documents, skills, hooks, the policies of projects. See docs/guides/models.md, docs/guides/approvals.md, docs/guides/changes.md, docs/guides/network.md, docs/guides/mcp-servers.md, docs/guides/openapi.md, docs/guides/skills.md, docs/audit.md, docs/guides/base-revision.md and docs/hooks.md.",
  };
}

/** `127.0.0.1:PORT` or `[::1]:PORT`; null for everything else. Port 0 is any that is free. */
export function listenAddress(text: string): ListenAddress | null {
  const [, host, digits] = /^(127\.0\.0\.1|\[::1\]):(0|[1-9][0-9]{0,4})$/u.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535) return null;
  return { host: host === "127.0.0.1" ? host : "::1", port };
}

function settingsOf(
  { approvals, audit, requests, search, mcp, openapi, skills, policy, ...models }: z.output<typeof settingsSchema>,
  hooks: readonly CommandHook[],
): Settings {
  const { webhooks, answers } = approvals;
  return {
    webhooks: webhooks.map(({ url, ...webhook }) => ({ ...webhook, url: new URL(url) })),
    answers: answers === undefined ? null : { listen: listenAddress(answers.listen) ?? { host: "127.0.0.1", port: 0 }, url: directoryUrl(answers.url) },
    anchor: audit.anchor ?? null,
    archiveAfterMs: audit["archive-after"] === undefined ? null : durationMs(audit["archive-after"]),
    models: modelSettingsOf(models),
    requests: requests ?? null,
    search: search ?? null,
    mcp: mcpServersOf(mcp),
    openapi: apiDocumentsOf(openapi),
    skills,
    hooks,
    projects: { from: policy.from ?? null, confirmed: policy.sha256 },
  };
}

/** With a slash at its end, so that what is below it resolves to below it. */
function directoryUrl(text: string): URL {
  const url = new URL(text);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/u;

function deliverableUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return null;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && LOOPBACK.test(url.hostname) ? url : null;
}
