import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOL_NAMES } from "../../src/policy/tool-names.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { type LocalServers, startLocalServers } from "../sandbox/egress/local-servers.ts";
import { type CliEnd, makePlace, type Place, warder } from "../support/warder-cli.ts";

// Every tool by the real program on each runtime, in one run of it each. test/end-to-end/ordinary-user.test.ts runs all of this as a user who is not root.

const MODULES = dirname(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))));
const RUNTIMES = [
  ["docker", dockerRuntime()],
  ["bubblewrap", bubblewrapRuntime()],
] as const;

const BUILT = new URL("../../sandbox/build/image-id", import.meta.url);
const IMAGE = existsSync(BUILT) ? readFileSync(BUILT, "utf8").trim() : `sha256:${"0".repeat(64)}`;
const browserImage = () => ({ name: "browser", image: IMAGE, base: IMAGE, made: { kind: "browser" }, by: "a test", preparedAt: "2026-01-01T00:00:00.000Z" });

const FOUND = { results: [{ title: "A page", url: "https://found.example.org/a", content: "what it says" }] };

const FILES: Readonly<Record<string, string>> = {
  "src/shape.ts": "export const unit = (): number => 1;\n",
  "src/use.ts": 'import { unit } from "./shape.ts";\nconst bad: string = unit();\nconsole.log(bad);\n',
  "src/log.ts": "log(1);\n",
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true }, "include": ["src"] }',
  "note.ipynb":
    '{"cells":[{"cell_type":"code","id":"a","metadata":{},"source":["1"],"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}',
  "a.txt": "one\ntwo\n",
};

/** What only the answer of an earlier call names: memories, jobs, what was cut. */
const FOLLOWING = `
const said = {};
const stored = await tools.memory_store({ text: "Tests run with make check." });
said.recalled = await tools.memory_recall({ query: "tests" });
said.forgotten = await tools.memory_forget({ id: /memory-\\w+/.exec(stored)[0] });
const started = await tools.start_job({ command: "echo printed > job.txt; echo printed; sleep 1000" }).catch((error) => error.message);
const [job = "job"] = /^job-\\w+(?=:)/.exec(started) ?? [];
said.job = started;
for (; job !== "job" && !said.job.includes("printed\\n"); ) said.job = await tools.read_job({ job, wait_seconds: 5, from: 0 });
said.jobs = await tools.list_jobs({}).catch((error) => error.message);
said.stopped = await tools.stop_job({ job }).catch((error) => error.message);
const cut = await tools.shell({ command: "head -c 600000 /dev/zero | tr '\\\\0' x; echo the end" });
const artifact = /[0-9a-f]{16}/.exec(cut.replaceAll(/x{9,}/g, ""))?.[0] ?? cut.replaceAll(/x{9,}/g, "");
said.artifact = (await tools.read_artifact({ artifact, from: 590000 })).replaceAll(/x{9,}/g, "xs");
return said;`;

type Said = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
type Result = { readonly ending: string; readonly isError: boolean; readonly text: string };

/** One call of each tool, and what its result says. */
const callsOf = (web: number): Readonly<Record<string, readonly [input: Said["input"], says: RegExp]>> => ({
  read_file: [{ path: "a.txt" }, /one\n.*two/u],
  list_files: [{ path: "src" }, /shape\.ts/u],
  glob_search: [{ pattern: "*.ts", path: "src" }, /src\/use\.ts/u],
  grep_search: [{ pattern: "unit\\(" }, /src\/use\.ts/u],
  edit_file: [{ path: "a.txt", old_string: "two", new_string: "three" }, /-two\n\+three/u],
  write_file: [{ path: "made/b.txt", content: "made\n" }, /\+made/u],
  apply_patch: [{ patch: "*** Begin Patch\n*** Add File: made/c.txt\n+patched\n*** End Patch" }, /\+patched/u],
  notebook_edit: [{ path: "note.ipynb", cell_id: "a", source: "2 + 2" }, /\+.*2 \+ 2/u],
  todo_write: [{ todos: [{ content: "play", status: "in_progress" }] }, /1/u],
  code: [{ operation: "outline", path: "src/shape.ts" }, /function: export const unit/u],
  code_rewrite: [{ paths: ["src/log.ts"], pattern: "log($A)", rewrite: "tell($A)" }, /\+tell\(1\);/u],
  shell: [{ command: "cat a.txt made/*.txt src/*.ts; id -u" }, /one\nthree\nmade\npatched\ntell\(1\);\n[^]*\n(?!0\n)\d+\n/u],
  repl: [{ language: "python", code: "print('it\\'s', 6 * 7)" }, /it's 42/u],
  powershell: [{ command: "1" }, /Tool not available: powershell\. The sandbox of this run has no program pwsh/u],
  web_fetch: [{ url: `http://127.0.0.1:${web}/hello/page` }, /hello \/hello\/page/u],
  http_request: [{ method: "HEAD", url: `http://127.0.0.1:${web}/hello/headers` }, /status: 200/u],
  web_search: [{ query: "anything" }, /A page\n {3}https:\/\/found\.example\.org\/a/u],
  browser: [
    { action: "open", url: `http://127.0.0.1:${web}/hello` },
    // The image that is given here has no Chromium; test/end-to-end/browser.test.ts has one that has.
    /browser did not start|This run has no browser\. A browser needs Docker Engine or Podman on this machine[^]* Read pages with web_fetch/u,
  ],
  agent: [{ task: "Child: say." }, /sub-agent run-\w+: done\nSaid\./u],
  agent_crew: [{ agents: [{ name: "first", task: "Child: say." }] }, /first: sub-agent run-\w+: done/u],
  ask_user: [{ question: "Which?" }, /Tool not available: ask_user\. Nobody is there to answer/u],
  send_user_message: [{ text: "It goes well." }, /./u],
  skill: [{ name: "greet" }, /Tool not available: skill\. This run has no skills/u],
  config: [{ key: "policy" }, /"?own"?/u],
  cron_add: [{ name: "weekly", cron: "@weekly", task: "look" }, /Proposed\. It runs once a person has confirmed it/u],
  cron_list: [{}, /weekly/u],
  cron_remove: [{ name: "weekly" }, /./u],
  script: [{ code: FOLLOWING }, /^\[untrusted output\]\nreturned: \{/u],
});

/** Of TypeScript's own server. On Docker test/end-to-end/code-tools.test.ts plays it. */
const ofServer: ReturnType<typeof callsOf> = {
  language_server: [{ operation: "diagnostics", path: "src/use.ts" }, /error 2322/u],
  rename_symbol: [{ path: "src/shape.ts", name: "unit", new_name: "single", paths: ["src/shape.ts", "src/use.ts"] }, /\+const bad: string = single\(\);/u],
};

/** Those that the script calls. */
const FOLLOWED: ReadonlySet<string> = new Set([
  "memory_store",
  "memory_recall",
  "memory_forget",
  "start_job",
  "read_job",
  "list_jobs",
  "stop_job",
  "read_artifact",
]);

const policyOf = (runtime: string, { http }: LocalServers): string => `version: 1
name: own
extends: base
autonomy: full
workspace: { roots: [{ path: ".", access: read-write }] }
commands:
  effects: { schedules: allow, remembers: allow }
  rules:
    - { id: pythons, allow: "python3 -c **", because: "The test says what runs." }
    - { id: servers, allow: "node_modules/.bin/tsc --lsp --stdio", because: "The workspace brings it." }
sandbox:
  runtime: ${runtime}
  workspace: transactional
  network: { allow: ["127.0.0.1:${http}"] }
unattended: { on-ask: deny }
tools: { allow: ["*", "cron_*"] }
`;

function installServer(workspace: string): void {
  for (const name of ["typescript", "@typescript"]) cpSync(join(MODULES, name), join(workspace, "node_modules", name), { recursive: true, dereference: true });
  mkdirSync(join(workspace, "node_modules/.bin"));
  symlinkSync("../typescript/bin/tsc", join(workspace, "node_modules/.bin/tsc"));
  chmodSync(join(workspace, "node_modules/typescript/bin/tsc"), 0o755);
}

for (const [runtime, ready] of RUNTIMES) {
  const { isReady, detail } = await ready.check();
  const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

  group(isReady ? `every tool of a run, on ${runtime}` : `every tool of a run, on ${runtime} [skipped: ${detail}]`, () => {
    const hasServer = runtime === "bubblewrap";
    // Their limits are held by control groups, which an ordinary user without an engine has none of.
    const keepsJobs = runtime === "docker" || process.getuid?.() === 0;
    let here: Place & { remove(): void };
    let servers: LocalServers;
    let ran: CliEnd;
    let results: Readonly<Record<string, Result>>;
    let log = "";
    let calls: ReturnType<typeof callsOf>;

    beforeAll(async () => {
      here = makePlace();
      servers = await startLocalServers({ "/v1/search": Buffer.from(JSON.stringify(FOUND)) });
      for (const [path, text] of Object.entries(FILES)) {
        mkdirSync(join(here.workspace, path, ".."), { recursive: true });
        writeFileSync(join(here.workspace, path), text);
      }
      if (hasServer) installServer(here.workspace);
      mkdirSync(here.state, { mode: 0o700 });
      const engine = `http://127.0.0.1:${servers.http}/v1/search`;
      writeFileSync(join(here.state, "settings.yaml"), `version: 1\nsearch: { kind: searxng, url: "${engine}" }\n`, { mode: 0o600 });
      writeFileSync(join(here.root, "own.yaml"), policyOf(runtime, servers));
      const { script, ...first } = callsOf(servers.http);
      writeFileSync(join(here.state, "images.json"), JSON.stringify({ version: 1, images: [browserImage()] }), { mode: 0o600 });
      calls = { ...first, ...(hasServer ? ofServer : {}), ...(script && { script }) };
      const said = Object.entries(calls).map(([tool, [input]]) => ({ tool, input }));
      const turns = [{ calls: said.slice(0, -1) }, { calls: said.slice(-1) }, { say: "Done." }];
      const agents = [{ "task-contains": "Child", turns: [{ say: "Said." }] }];
      writeFileSync(join(here.root, "script.yaml"), JSON.stringify({ protocol: "anthropic", turns, agents }));
      ran = await warder(here, [
        "run",
        "--unattended",
        "--policy",
        join(here.root, "own.yaml"),
        "--json",
        "--model",
        `scripted:${join(here.root, "script.yaml")}`,
        "Go.",
      ]);
      const told = ran.stdout.split("\n").flatMap((line) => (line.includes('"kind":"tool-result"') ? [JSON.parse(line) as Result & { runId: string }] : []));
      log = (await warder(here, ["audit", "tail", "--json", "--limit", "1000"])).stdout;
      results = Object.fromEntries(Object.keys(calls).map((name, index) => [name, told[index] as Result]));
    });
    afterAll(() => {
      servers?.close();
      here?.remove();
    });

    test("is played: none is missing", () => {
      // Others are of runs that are started otherwise, or the same whatever the runtime is.
      const others = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts") && name !== basename(import.meta.filename));
      const texts = others.map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
      const isPlayed = (tool: string): boolean => tool in calls || FOLLOWED.has(tool) || texts.some((text) => text.includes(`"${tool}"`));
      expect(Object.keys(TOOL_NAMES).filter((tool) => !isPlayed(tool))).toEqual([]);
      expect(Object.keys(calls).length).toBeGreaterThan(25);
      expect(ran.exitCode, ran.stderr).toBe(0);
    });

    test("does what it says", () => {
      const wrong = Object.entries(calls).filter(([name, [, says]]) => !says.test(results[name]?.text ?? ""));
      expect(wrong.map(([name]) => [name, results[name]])).toEqual([]);
    });

    test("has the image of the browser in the log, where there is one", () => {
      const opened = log.split("\n").flatMap((line) => (line.includes('"browser-opened"') ? [JSON.parse(line) as { image: string }] : []));
      expect(opened.map(({ image }) => image)).toEqual(runtime === "docker" ? [IMAGE] : []);
      expect(results["browser"]?.ending).toBe(runtime === "docker" ? "executed" : "unavailable");
    });

    test("gives a script what only the answer of an earlier call names: memories, jobs, artifacts", () => {
      const [, text = "{}"] = /returned: (\{.*\})\n/u.exec(results["script"]?.text ?? "") ?? [];
      expect(JSON.parse(text)).toEqual({
        recalled: expect.stringContaining("Tests run with make check."),
        forgotten: expect.stringMatching(/^Forgotten: memory-\w+\.$/u),
        job: expect.stringMatching(keepsJobs ? /^job-\w+: running for [^]*\nprinted\n/u : /start_job\. This sandbox keeps no job beside commands: /u),
        jobs: expect.stringMatching(keepsJobs ? /^job-\w+: running for /u : /^Tool not available: list_jobs\. /u),
        stopped: expect.stringMatching(keepsJobs ? /^job-\w+: stopped after /u : /^Tool not available: stop_job\. /u),
        artifact: expect.stringMatching(/bytes 590000 to 6000\d\d of 6000\d\d\nxsthe end\n$/u),
      });
    });
  });
}
