import { analyseCommand } from "../../../src/shell/analyse.ts";
import { supposedLabels } from "../../../src/policy/label.ts";
import type { Facts, PathFact } from "../../../src/policy/facts.ts";
import type { CallRequest, Request } from "../../../src/policy/request.ts";
import type { Random } from "../../shared/random.ts";

export const PLACES = { workspace: "/home/dev/project", home: "/home/dev" };
export const NOW_MS = Date.UTC(2026, 10, 29);

/** A call and all that it is decided by. */
export type RandomCall = { readonly text: string; readonly call: CallRequest; readonly facts: Facts };

const WORDS = [
  "push",
  "--force",
  "origin",
  "commit",
  "-m",
  "a",
  "run",
  "test",
  "-la",
  "x",
  "--f",
  "t",
  "b",
  "-C",
  "d",
  "$x",
  '"$y"',
  "*",
  "pu*",
  "https://a.example.org",
  "https://example.com",
  "127.0.0.1:3000",
  "localhost:3000",
  "-d",
  "-r",
  ".env",
  "secret/b",
  "src/k.pem",
  ".git/hooks/x",
  ".git",
  "/etc/x/y",
  "~/.ssh/id",
  "vendor/z",
  "/srv/data/q",
  "../out",
  "x/../a",
  ".env.*",
  "/tmp/t",
];
const PROGRAMS = [
  "git",
  "npm",
  "ls",
  "curl",
  "rm",
  "cat",
  "touch",
  "node",
  "make",
  "x",
  "/usr/bin/git",
  "echo",
  "kill",
  "ssh",
  "sudo git",
  "env ls",
  "timeout 5 npm",
  "$p",
  "crontab",
  "npm run",
];
const PATHS = [
  ".env",
  "a",
  "secret/b",
  "src/k.pem",
  "vendor/z",
  ".git/hooks/x",
  ".git",
  "private/q",
  "/etc/x/y",
  "/srv/data/q",
  "/home/dev/.ssh/id",
  "/tmp/t",
  "/opt/q",
  "/usr/bin/q",
  "/etc/passwd",
  "/dev/null",
  "/home/dev/n",
];
const HOSTS = ["a.example.org", "example.com", "b.example.org", "127.0.0.1", "localhost", "q.net"];
const TOOLS = ["shell", "web_fetch", "x__a", "x__b", "read_file", "q"];

/** Of each rule some number of uses, by its name. */
class SomeUses extends Map<string, number> {
  readonly #salt: number;

  constructor(salt: number) {
    super();
    this.#salt = salt;
  }

  override get(id: string): number {
    return (this.#salt + Math.floor(id.charCodeAt(id.indexOf("-") + 1) / 2)) % 4;
  }
}

export function drawCall(random: Random): RandomCall {
  const { request, tool } = drawRequest(random);
  const call = { tool, requests: request === null ? [] : [request] };
  const text = request === null ? `tool ${tool}` : request.kind === "command" ? request.text : JSON.stringify(request);
  return { text, call, facts: drawFacts(random, request) };
}

function drawRequest(random: Random): { readonly request: Request | null; readonly tool: string } {
  const absolute = (path: string): string => (path.startsWith("/") ? path : `${PLACES.workspace}/${path}`);
  switch (random.below(10)) {
    case 0:
      return { request: { kind: "read", path: absolute(random.pick(PATHS)), isRecursive: random.once(4) }, tool: "read_file" };
    case 1:
      return { request: { kind: "write", path: absolute(random.pick(PATHS)) }, tool: "write_file" };
    case 2:
      return { request: { kind: "connect", host: random.pick(HOSTS), port: random.pick([443, 80, 8080, 3000]) }, tool: random.pick(["shell", "web_fetch"]) };
    case 3: {
      const tool = random.pick(TOOLS);
      return { request: random.pick([null, { kind: "invoke", tool }, { kind: "remember" }, { kind: "schedule", name: "j" }] as const), tool };
    }
    default: {
      const one = (): string => [random.pick(PROGRAMS), ...Array.from({ length: random.below(4) }, () => random.pick(WORDS))].join(" ");
      const text = random.once(6)
        ? `${one()} ${random.pick(["&&", "|", ";"])} ${one()}`
        : `${one()}${random.once(8) ? random.pick([" < a", " > b", " > .env", " >> /dev/null"]) : ""}`;
      return {
        request: { kind: "command", text, cwd: PLACES.workspace, analysis: analyseCommand(text, { cwd: PLACES.workspace, home: PLACES.home }) },
        tool: "shell",
      };
    }
  }
}

function drawFacts(random: Random, request: Request | null): Facts {
  const paths = new Map<string, PathFact>();
  const named =
    request === null
      ? []
      : request.kind === "read" || request.kind === "write"
        ? [request.path]
        : request.kind === "command"
          ? [
              request.cwd,
              ...request.analysis.effects.flatMap(({ path }) => (path?.kind === "literal" ? [path.path] : path?.kind === "pattern" ? [path.directory] : [])),
            ]
          : [];
  for (const path of named) if (!random.once(25)) paths.set(path, { path, real: path, type: random.pick(["file", "directory", "missing"]), links: 1 });
  return {
    measured: random.pick(["host", "session"]),
    containment: random.once(3) ? "none" : "profile",
    nowMs: NOW_MS + random.pick([0, 0, 1, 70, 75]) * 365 * 86_400_000,
    isStopped: false,
    isSandboxReady: true,
    actionsLeft: null,
    asksLeft: null,
    paths,
    ...(random.once(2) ? { uses: new SomeUses(random.below(4)) } : {}),
    ...(random.once(6) ? { publicOnly: new Set(named) } : {}),
    ...(random.once(4) ? {} : { labels: supposedLabels(random.pick([[], [], ["tainted"], ["sensitive"], ["tainted", "sensitive"]])) }),
    home: PLACES.home,
    ownPaths: [],
  };
}
