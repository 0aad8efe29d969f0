// Writes down what the programs of the sandbox image say of their own options: `node scripts/table-fuzz/harvest.ts > test/programs/harvested-options.json`
//
// One entry a program: its version, and each line of its help that begins with options, with the words behind them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unpackImage } from "./fixture.ts";
import { TRIED } from "./vocabulary.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const NO_HELP: ReadonlySet<string> = new Set(["test", "mawk", "tsort", "bc", "gcc", "which", "bash", "sh", "zip", "unzip", "openssl", "printf", "git"]);
const GIT = [
  "status",
  "diff",
  "log",
  "show",
  "grep",
  "blame",
  "ls-files",
  "branch",
  "tag",
  "rev-parse",
  "describe",
  "shortlog",
  "for-each-ref",
  "cat-file",
  "archive",
  "ls-remote",
  "fetch",
  "ls-tree",
  "name-rev",
  "stash",
  "config",
] as const;

const root = unpackImage(readFileSync(`${CHECKOUT}sandbox/build/image-tag`, "utf8").trim(), `${CHECKOUT}.tools/table-fuzz`);
if (root === null) process.exit(6);
const entries: Record<string, { readonly version: string; readonly options: Record<string, string> }> = {};
for (const name of new Set(TRIED)) if (!NO_HELP.has(name)) add(name, [name, name === "curl" ? "--help" : "--help", ...(name === "curl" ? ["all"] : [])]);
for (const name of GIT) add(`git ${name}`, ["git", name, "-h"]);
console.log(JSON.stringify(entries, null, 1));

function run(words: readonly string[]): string {
  const isolation = [
    "--unshare-all",
    "--unshare-user",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    root ?? "",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
  ];
  const ended = spawnSync("bwrap", [...isolation, "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--chdir", "/tmp", ...words], {
    encoding: "utf8",
    timeout: 10_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return `${ended.stdout}${ended.stderr}`;
}

function add(name: string, words: readonly string[]): void {
  const options = optionsOf(run(words));
  if (Object.keys(options).length > 0) entries[name] = { version: (run([words[0] ?? "", "--version"]).split("\n")[0] ?? "").trim(), options };
}

/** Lines such as `  -o, --output=FILE   write the result to FILE`; what follows further in belongs to the line above it. */
function optionsOf(help: string): Record<string, string> {
  const options: Record<string, string> = {};
  let names: string[] = [];
  for (const line of help.split("\n")) {
    const head = /^ {1,8}(-[^\s-]|--[a-z[])/i.test(line) ? /^\s+((?:-{1,2}[^\s,]+(?:,? (?=-)|(?: <[^>]+>| [A-Z][A-Z_]*\b)?,? ?))+)\s*(.*)$/.exec(line) : null;
    if (head !== null) {
      names = [...(head[1] ?? "").matchAll(/(?<![\w-])--?[A-Za-z0-9#][\w-]*|(?<![\w-])--\[no-\][\w-]+/g)].map(([each]) => each.replace("--[no-]", "--"));
      for (const each of names) options[each] = (head[2] ?? "").trim();
    } else if (/^\s{10,}\S/.test(line)) for (const each of names) options[each] = `${options[each] ?? ""} ${line.trim()}`.trim();
    else names = [];
  }
  return options;
}
