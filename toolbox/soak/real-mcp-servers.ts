/**
 * Three real MCP servers, which npm fetches, as a person has them: files and git in an image that `warder image add` makes, in sandboxes of their own, and one that
 * answers over HTTP on loopback. Each is confirmed at a terminal, and a scripted model calls its tools in a real run. Needs an engine and the registry.
 *
 *   npm run soak -- real-mcp-servers [--verbose]      # with what the model was told
 *
 * Exit code 1 where a call ends otherwise than it should.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { warderAtTerminal } from "../../test/support/pseudo-terminal.ts";
import { until } from "../../test/support/until.ts";
import { makePlace, WARDER, writePolicy } from "../../test/support/warder-cli.ts";
import { freePort } from "../shared/engine-elsewhere.ts";

const FILES = "@modelcontextprotocol/server-filesystem@2026.8.31";
const GIT = "@cyanheads/git-mcp-server@2.15.3";
const HTTP = "@modelcontextprotocol/server-everything@2026.8.31";
const PACKAGES = "/opt/mcp/node_modules";
const FILE_SERVER = `${PACKAGES}/@modelcontextprotocol/server-filesystem/dist/index.js`;

const { values } = parseArgs({ options: { verbose: { type: "boolean", default: false } } });
const here = makePlace();
const [notes, elsewhere, repository] = ["notes", "elsewhere", "repository"].map((name) => join(here.root, name)) as [string, string, string];
const image = `soak-mcp-${String(process.pid)}`;

/** A call of a tool, and what the model must be told. `wide` is the server of files once more, told that all of its machine is its own. */
type Case = { readonly tool: string; readonly input: object; readonly told: RegExp; readonly what: string };
const CASES: readonly Case[] = [
  { what: "reads a file of its root", tool: "files__read_text_file", input: { path: `${notes}/a.txt` }, told: /a note/u },
  { what: "writes one", tool: "files__write_file", input: { path: `${notes}/b.txt`, content: "written\n" }, told: /Successfully wrote/u },
  { what: "lists it", tool: "files__list_directory", input: { path: notes }, told: /\[FILE\] a\.txt[^]*\[FILE\] b\.txt/u },
  { what: "reads no secret: the policy", tool: "files__read_text_file", input: { path: `${here.home}/.ssh/id_rsa` }, told: /Denied by rule forbidden-path/u },
  { what: "lists nothing outside: the server", tool: "files__list_directory", input: { path: elsewhere }, told: /Access denied/u },
  { what: "follows no link outside: the server", tool: "files__get_file_info", input: { path: `${notes}/link` }, told: /does not exist/u },
  { what: "writes nothing outside: the policy", tool: "files__write_file", input: { path: "/srv/d.txt", content: "x" }, told: /Denied by rule outside-roots/u },
  { what: "reads nothing outside: the sandbox", tool: "wide__read_text_file", input: { path: `${elsewhere}/c.txt` }, told: /ENOENT/u },
  { what: "writes nothing outside: the sandbox", tool: "wide__write_file", input: { path: `${elsewhere}/d.txt`, content: "x" }, told: /ENOENT/u },
  { what: "says the log", tool: "repo__git_log", input: { path: repository }, told: /The first commit/u },
  { what: "says the status", tool: "repo__git_status", input: { path: repository }, told: /new\.txt/u },
  { what: "changes nothing in a root to read", tool: "repo__git_add", input: { path: repository, paths: ["new.txt"] }, told: /read-only|Read-only/iu },
  { what: "answers", tool: "web__echo", input: { message: "hello" }, told: /Echo: hello/u },
  { what: "adds", tool: "web__get-sum", input: { a: 20, b: 3 }, told: /\b23\b/u },
];

const POLICY = `version: 1
name: mcp
extends: unattended
tools:
  allow: ["*", "@files", "@wide", "@repo", "@web"]
  mcp:
    files__read_text_file: { paths: { path: read } }
    files__write_file: { paths: { path: write } }
`;

const child = { server: null as ReturnType<typeof spawn> | null };
try {
  const port = await freePort();
  prepare(port);
  await makeImage();
  child.server = await startHttpServer(port);
  const policy = writePolicy(here, "mcp", POLICY);
  for (const name of ["files", "wide", "repo", "web"]) await atTerminal(["mcp", "trust", name, "--policy", policy], name);
  const told = await run(policy);
  for (const [index, { what, tool, told: expected }] of CASES.entries()) {
    const isRight = expected.test(told[index] ?? "");
    say(`${tool.split("__")[0]?.padEnd(6) ?? ""} ${what}: ${isRight ? "as it should be" : `WRONG: ${told[index] ?? "no answer"}`}`);
    if (!isRight) process.exitCode = 1;
    if (values.verbose) say(told[index] ?? "");
  }
  const isKept = readFileSync(join(notes, "b.txt"), "utf8") === "written\n" && !existsSync(join(elsewhere, "d.txt"));
  const log = await warder(["audit", "verify"]);
  say(`on this machine: ${isKept ? "what was written in the root, and nothing beside it" : "WRONG files"}; ${log.stdout.trim()}`);
  if (!isKept || log.exitCode !== 0) process.exitCode = 1;
} finally {
  if (child.server?.pid !== undefined) process.kill(-child.server.pid, "SIGKILL");
  await warder(["image", "remove", image]);
  here.remove();
}
process.exit();

/** Runs a command to its end. */
async function warder(argv: readonly string[]): Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, HOME: here.home, WARDER_HOME: here.state };
  return await new Promise((resolve) => {
    const started = execFile(WARDER, argv, { cwd: here.workspace, env }, (_, stdout, stderr) => {
      resolve({ exitCode: started.exitCode, stdout, stderr });
    });
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Directories that servers see, one that none sees, and the settings that name the servers. */
function prepare(port: number): void {
  for (const folder of [notes, elsewhere, repository, here.state]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(notes, "a.txt"), "a note\n");
  writeFileSync(join(elsewhere, "c.txt"), "no note\n");
  symlinkSync(join(elsewhere, "c.txt"), join(notes, "link"));
  const git = (...argv: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...argv], { cwd: repository, stdio: "ignore" });
  git("init");
  git("commit", "--allow-empty", "-m", "The first commit");
  writeFileSync(join(repository, "new.txt"), "new\n");
  const files = (allowed: string): string =>
    `{ command: [node, ${FILE_SERVER}, ${allowed}], image: ${image}, roots: [{ path: ${notes}, access: read-write }] }`;
  const repo = `{ command: [node, ${PACKAGES}/@cyanheads/git-mcp-server/dist/index.js], image: ${image}, roots: [{ path: ${repository} }] }`;
  const servers = [`files: ${files(notes)}`, `wide: ${files("/")}`, `repo: ${repo}`, `web: { url: "http://127.0.0.1:${String(port)}/mcp" }`];
  writeFileSync(join(here.state, "settings.yaml"), `version: 1\nmcp:\n${servers.map((each) => `  ${each}\n`).join("")}`, { mode: 0o600 });
}

async function makeImage(): Promise<void> {
  const packages = join(here.root, "packages");
  mkdirSync(packages);
  const install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", FILES, GIT];
  await atTerminal(["image", "add", image, "--workspace", packages, "--registry", "npm", "--keep", `node_modules:${PACKAGES}`, "--", ...install], image);
  say(`${image} holds ${FILES} and ${GIT}`);
}

/** Runs a command that wants a name typed. */
async function atTerminal(argv: readonly string[], name: string): Promise<void> {
  const terminal = warderAtTerminal(here, argv);
  await terminal.shows(new RegExp(`type: ${name}`, "u"));
  terminal.type(`${name}\r`);
  if ((await terminal.ended) !== 0) throw new Error(`warder ${argv.join(" ")} failed:\n${terminal.screen()}`);
}

async function startHttpServer(port: number): Promise<ReturnType<typeof spawn>> {
  const argv = ["exec", "--yes", `--package=${HTTP}`, "--", "mcp-server-everything", "streamableHttp"];
  const server = spawn("npm", argv, { cwd: here.root, env: { ...process.env, PORT: String(port) }, stdio: ["ignore", "ignore", "pipe"], detached: true });
  let text = "";
  server.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
  await until("the server over HTTP listens", () => text.includes("listening on port"));
  say(`${HTTP} answers on 127.0.0.1`);
  return server;
}

/** Has a scripted model make each call, and gives what it was told of each. */
async function run(policy: string): Promise<readonly string[]> {
  const script = join(here.root, "script.yaml");
  const turns = CASES.map(({ tool, input }) => `  - calls: [${JSON.stringify({ tool, input })}]\n`).join("");
  writeFileSync(script, `protocol: openai\nturns:\n${turns}  - say: done\n`);
  const ended = await warder(["run", "use them", "--policy", policy, "--model", `scripted:${script}`, "--unattended", "--json"]);
  const first = ended.stdout.split("\n")[0] ?? "";
  if (!first.startsWith("{")) throw new Error(`The run did not begin:\n${ended.stdout}${ended.stderr}`);
  const { runId } = JSON.parse(first) as { readonly runId: string };
  const shown = await warder(["runs", "show", runId, "--json"]);
  const { turns: made } = JSON.parse(shown.stdout) as { readonly turns: readonly { readonly calls: readonly { readonly result: string }[] }[] };
  return made.flatMap(({ calls }) => calls.map(({ result }) => result));
}
