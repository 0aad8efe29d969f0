import { existsSync } from "node:fs";
import { join } from "node:path";

/** What checks Warder and is no test, by kind and name, each with its purpose in a line. A tool's options stand at the head of its file. */
export const TOOLS = {
  bench: {
    audit: "what an append to the audit log costs; verifying, reading and archiving all of it",
    budgets: "whether eight processes overspend a limit, or one that is killed loses what it spent",
    changes: "what a transactional workspace of many files costs, beside a plain copy",
    commands: "how many labelled commands of a file the program tables find harmless",
    decide: "what a decision costs, beside a parser, Cedar and bash; how fast `warder check` starts",
    egress: "what the egress proxy costs a request, and how much memory it takes",
    exec: "what one command costs in each sandbox, cold and warm",
    landing: "what looking at many changed files and landing them costs, beside `git add -A`",
    loop: "what the agent's loop costs a call, what a turn of a long conversation leaves in memory, and ten reads in one turn beside one",
    policies: "what the size of a policy costs its loading, a decision and `policy diff`",
    script: "what a script of a thousand calls costs, beside the same calls without it",
    torture: "whether the shell analysis foretold the programs that real shells ran",
  },
  fuzz: {
    frames: "the supervisor's parser of frames under libFuzzer",
    harvest: "writes down what the programs of the sandbox image say of their own options",
    reach: "which lines of the shell analysis the generated commands reach",
    record: "writes into vector files what the real bash did with their commands",
    replay: "which runs of an earlier analysis still count for the present one",
    shell: "the shell analysis against the real bash",
    syntax: "what the shell analysis takes for valid against `bash -n`",
    tables: "the program tables against the real programs of the sandbox image",
  },
  soak: {
    addresses: "has web_fetch ask for a labelled list of URLs, in a network of its own: what is dangerous is refused, nothing else is",
    approvals: "kills processes between tick, question and approval: no approval counts twice, no job is lost",
    changes: "lands and discards random changes, killed in between, against plain directories",
    clients: "fetches through the egress proxy with clients that Warder's own image lacks: Go, cargo, pip, Maven, Gradle and others",
    gvisor: "the contract suite of the runtimes below gVisor, on an engine of its own",
    "hook-events": "other agents' hooks at once over one log, some killed: each answered call is in it once, with its answer",
    hostile: "runs known hostile commands in sandboxes, with canaries outside",
    kill: "kills Warder, supervisor, shim, dockerd and containerd at random: nothing stays, is lost or torn",
    "mcp-client-conformance": "the protocol's own conformance runner against the client of MCP servers: nothing fails but what is named, with its reason",
    "mcp-conformance": "the protocol's own conformance runner against `warder mcp --http`: nothing fails but what is named, with its reason",
    "openapi-documents": "real OpenAPI documents: how many operations become tools, and why others do not",
    pairs: "random pairs of what a run and a person do with git: what lands is what was shown, and no commit is lost",
    parallel: "many runs at once over one state directory: none sees another's",
    paths: "has read_file ask for a labelled list of paths, with markers outside the workspace: none is read",
    "policy-diff": "random pairs of policies: what `policy diff` says against calls that both evaluators decide",
    races: "threads swap links and directories under the file verbs: nothing outside is read or written",
    "real-agents": "real agents with the hook, each against a scripted model: nothing dangerous runs, whatever becomes of the hook",
    "real-mcp-servers": "real MCP servers in sandboxes and over HTTP, each called by a scripted run: they do their work, and nothing outside their roots",
    shell: "`fuzz shell` for hours; a line for each slice in docs/measurements/shell-fuzz.jsonl",
    tables: "`fuzz tables` for hours; a line for each slice in docs/measurements/tables.jsonl",
    tests: "the tests of which `npm test` takes a slice, in full: each kill, time zone, attack and process",
    ways: "kills a run in the middle of a command, on the way that this account has: nothing is lost, nothing left",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Kind = keyof typeof TOOLS;

export const isKind = (word: string): word is Kind => Object.hasOwn(TOOLS, word);

/** The file that a tool starts with: NAME.ts, NAME.sh or NAME/main.ts in the folder of its kind; null when there is no such tool. */
export function fileOf(kind: Kind, name: string): string | null {
  if (!Object.hasOwn(TOOLS[kind], name)) return null;
  const files = [`${name}.ts`, `${name}.sh`, join(name, "main.ts")].map((file) => join(import.meta.dirname, kind, file));
  return files.find((file) => existsSync(file)) ?? null;
}

/** The tools of a kind, a line each. */
export function listOf(kind: Kind): string {
  const lines = Object.entries(TOOLS[kind]).map(([name, purpose]) => `  ${name.padEnd(10)} ${purpose}`);
  return [`npm run ${kind} -- NAME [OPTIONS]`, "", ...lines].join("\n");
}

/** The comment at the head of a tool's file, which says what it does and takes. */
export function headOf(source: string): string {
  const lines = source.replace(/^#!.*\n/u, "").split("\n");
  const head = lines.slice(
    0,
    lines.findIndex((line) => !/^(?:\/\/|\/?\*| \*|#)/u.test(line)),
  );
  return head
    .map((line) => line.replace(/^(?:\/\/|\/\*\*| \*\/| \*|#) ?/u, ""))
    .join("\n")
    .trim();
}
