// Writes down what the programs of the sandbox image say of their own options, as JSON.
//
//   npm run fuzz -- harvest     (with `npm run --silent`, into test/programs/harvested-options.json)
//
// One entry a program: its version, and each line of its help that begins with options, with the words behind them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PROGRAMS } from "../../src/programs/programs.ts";
import { isolated } from "../shared/isolated.ts";
import { unpackImage } from "./tables/fixture.ts";
import { TRIED } from "./tables/vocabulary.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
/** Programs that describe no option; dash, which is `sh`, is among them. */
const NO_HELP: ReadonlySet<string> = new Set(["test", "tsort", "bc", "gcc", "which", "sh", "printf"]);
/** How a program is asked, where that is not `--help`. */
const ASKED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  curl: [["curl", "--help", "all"]],
  mawk: [["mawk", "-W", "help"]],
  zip: [["zip", "-h2"]],
  unzip: [["unzip", "-hh"]],
  bash: [
    ["bash", "--help"],
    ["bash", "-c", "help set"],
  ],
};
const VERSION: Readonly<Record<string, readonly string[]>> = {
  mawk: ["mawk", "-W", "version"],
  openssl: ["openssl", "version"],
  unzip: ["unzip", "-v"],
  zip: ["zip", "-h"],
};
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
for (const name of new Set(TRIED)) if (!NO_HELP.has(name) && name !== "git" && name !== "openssl") add(name, ASKED[name] ?? [[name, "--help"]]);
for (const name of GIT) add(`git ${name}`, [["git", name, "-h"]]);
for (const name of PROGRAMS.find("openssl")?.children.keys() ?? []) add(`openssl ${name}`, [["openssl", name, "-help"]]);
console.log(JSON.stringify(entries, null, 1));

function run(words: readonly string[]): string {
  const [program = "", ...isolation] = isolated(["--ro-bind", root ?? "", "/"]);
  const ended = spawnSync(program, [...isolation, "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--chdir", "/tmp", ...words], {
    encoding: "utf8",
    timeout: 10_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return `${ended.stdout}${ended.stderr}`;
}

function add(name: string, questions: readonly (readonly string[])[]): void {
  const options = optionsOf(questions.map((words) => run(words).replaceAll("\t", "    ")).join("\n"));
  const [program = ""] = name.split(" ");
  const version = run(VERSION[program] ?? [program, "--version"]);
  if (Object.keys(options).length > 0) entries[name] = { version: (version.split("\n")[0] ?? "").trim(), options };
}

/** Lines such as `  -o, --output=FILE   write the result to FILE`; what follows further in belongs to the line above it. */
function optionsOf(help: string): Record<string, string> {
  const options: Record<string, string> = {};
  let names: string[] = [];
  for (const line of help.split("\n")) {
    const head = /^ {1,8}(-[^\s-]|--[a-z[])/i.test(line) ? /^\s+((?:-{1,2}[^\s,]+(?:,? (?=-)|(?: <[^>]+>| [A-Z][A-Z_]*\b)?,? ?))+)\s*(.*)$/.exec(line) : null;
    if (head !== null) {
      names = [...(head[1] ?? "").matchAll(/(?<![\w-])--?[A-Za-z0-9#][\w-]*|(?<![\w-])--\[no-\][\w-]+/g)].map(([each]) => each.replace("--[no-]", "--"));
      // What is said first is about the program itself; unzip says more of the same letters for another mode.
      names = names.filter((each) => options[each] === undefined);
      for (const each of names) options[each] = (head[2] ?? "").trim();
    } else if (/^\s{10,}\S/.test(line)) for (const each of names) options[each] = `${options[each] ?? ""} ${line.trim()}`.trim();
    else names = [];
  }
  return options;
}
