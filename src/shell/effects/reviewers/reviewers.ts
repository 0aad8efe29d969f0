import type { ReviewerName } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import { literalPath } from "../operands/paths.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath } from "../reading/collector.ts";
import { reviewDatabase, reviewDuckdb, reviewSqlite } from "./databases.ts";
import { reviewFields } from "./github-request.ts";
import { reviewRequest } from "./http-request.ts";
import { remoteHostOf } from "../operands/hosts.ts";
import { recipesOf } from "../languages/makefile.ts";
import { readRole } from "../roles/roles.ts";
import { behind, literalAt, literalPrefix, literalValue, showWord } from "../../model/words.ts";
import { reviewCopies, reviewPlists, reviewRewriting } from "../roles/written-names.ts";

type Review = (to: Collector, parsed: ParsedArguments) => void;

/** What a table cannot say, added behind what it says. */
export const REVIEWS: Readonly<Record<ReviewerName, Review>> = {
  curl: reviewRequest,
  scratch: reviewScratch,
  interpreter: reviewInterpreter,
  "npm-script": reviewPackageScript,
  make: reviewMake,
  here: reviewSearch,
  tree: reviewTree,
  database: reviewDatabase,
  named: reviewName,
  sqlite: reviewSqlite,
  duckdb: reviewDuckdb,
  fed: reviewFed,
  inspected: reviewInspected,
  sockets: reviewSockets,
  formats: reviewFormats,
  dashed: reviewDashed,
  modes: reviewModes,
  unpacking: reviewUnpacking,
  counted: reviewCounted,
  processes: reviewProcesses,
  copies: reviewCopies,
  rewriting: reviewRewriting,
  plists: reviewPlists,
  fields: (to, parsed) => {
    reviewRequest(to, parsed);
    reviewFields(to, parsed);
  },
};

/** A new file below `/tmp`, where no word names another place. */
function reviewScratch(to: Collector, { operands, options }: ParsedArguments): void {
  const isElsewhere = operands.length > 0 && !options.some((option) => option.name === "-t");
  if (isElsewhere || options.some((option) => option.spec.operandRole === "text" || option.spec.names.includes("--tmpdir"))) return;
  addPath(to, "writes", { kind: "literal", value: "/tmp", quoted: false, span: to.simple.span });
}

/** Without a file or code an interpreter runs what stands on standard input. Which file is only checked (`node --check`) has to be known beforehand. */
function reviewInterpreter(to: Collector, { options, operands }: ParsedArguments): void {
  const check = options.find(({ spec }) => spec.operandRole === "read");
  const open = operands.find((word) => word.kind !== "literal");
  if (check !== undefined && open !== undefined)
    addEffect(to, "runs-code", open.span, `${showWord(open)} may be a verb of \`${to.program}\`, which starts a program`);
  const isInformed = operands.length > 0 || options.some((option) => option.spec.isListing);
  if (isInformed || to.effects.some((effect) => effect.kind === "runs-code")) return;
  addEffect(to, "runs-code", to.simple.span, `\`${to.program}\` runs what it reads from standard input`);
}

/** A search that names no place goes through the working directory. */
function reviewSearch(to: Collector, { node, operands, options }: ParsedArguments): void {
  const patterns = options.some((option) => option.spec.suppliesFirst) ? 0 : node.operands[0]?.role === "text" ? 1 : 0;
  if (operands.length > patterns) return;
  addPath(to, "reads", { kind: "literal", value: ".", quoted: false, span: to.simple.span }, true);
}

/** With an option that makes it go through directories. */
function reviewTree(to: Collector, parsed: ParsedArguments): void {
  if (parsed.options.some(({ spec }) => spec.operandRole === "read-tree")) reviewSearch(to, parsed);
}

/** `cargo fmt` rewrites the sources, which may lie where a module's path says, unless it only checks. */
function reviewFormats(to: Collector, { operands, options }: ParsedArguments): void {
  const isCheck = (word: Word): boolean => literalValue(word) === "--check";
  const other = operands.find((word) => !isCheck(word) && !/^(?:-l|--files-with-diff|-q|--quiet|-v|--verbose)$/.test(literalValue(word) ?? ""));
  if (other !== undefined) addEffect(to, "unknown", other.span, `${showWord(other)} is no option of rustfmt that the table knows`);
  if (!operands.some(isCheck) && !options.some((option) => option.name === "--check"))
    addEffect(to, "runs-code", to.simple.span, `\`cargo fmt\` rewrites the sources, wherever they lie`);
}

const LOOKING_MODES = ["-t", "--test", "-l", "--list"];
const WORKING_MODES = ["-d", "-z", "--decompress", "--uncompress", "--compress"];

/** `zstd -t -d f`: of two modes the last one counts, and only the standard output as the place takes the file out of it. */
function reviewModes(to: Collector, { options, operands }: ParsedArguments): void {
  const has = (names: readonly string[]): boolean => options.some(({ name }) => names.includes(name));
  if (!has(LOOKING_MODES) || !has(WORKING_MODES) || has(["-c", "--stdout", "--to-stdout"])) return;
  for (const word of operands) readRole(to, "replace", word, false);
}

/** `unzip a.zip -l`: behind the archive it is the name of a file to unpack. */
function reviewUnpacking(to: Collector, { options, operands }: ParsedArguments): void {
  const archive = operands[0]?.span;
  if (archive === undefined) return;
  for (const { spec, name, word } of options) {
    if (!spec.isListing || word.span.start < archive.start) continue;
    addEffect(to, "unknown", word.span, `\`${name}\` behind the archive is no option, so \`${to.program}\` unpacks`);
  }
}

/** A shell unpacks archives under the name that is given, and exports a commit with the names of all files in it. */
function reviewCounted(to: Collector, { operands }: ParsedArguments): void {
  for (const word of operands) {
    const text = word.kind === "pattern" ? word.glob : (literalValue(word) ?? "HEAD");
    if (ARCHIVE_OR_COMMIT.test(text) || (word.kind === "pattern" && !/\.\w+$/.test(text)))
      addEffect(to, "runs-code", word.span, `${showWord(word)} may be an archive or a commit, with whose names \`${to.program}\` starts a shell`);
  }
}

const ARCHIVE_OR_COMMIT = /\.(?:tar|tgz|gz|z|bz2|xz|zst|rpm|whl|zip|jar|egg|deb|7z)$|^(?:[a-f\d]{5,40}|master|main|HEAD)(?:~\d+)?$/i;

/** `docker top NAME axe` gives `axe` to ps, which shows the environment of the processes. */
function reviewProcesses(to: Collector, { operands }: ParsedArguments): void {
  for (const word of operands.slice(1)) {
    if (/^[^e]*$/.test(literalValue(word) ?? "e")) continue;
    addEffect(to, "secrets", word.span, `${showWord(word)} may be letters that make ps show the environment of processes`);
  }
}

/** What stands on the standard input is sent. */
function reviewFed(to: Collector): void {
  const { stdin, span } = to.simple;
  if (stdin.kind === "inherited" ? stdin.isEmpty === true : stdin.kind === "file" && literalValue(stdin.target) === "/dev/null") return;
  addEffect(to, "sends", span, `\`${to.program}\` sends what stands on its standard input`);
}

/** Without a dash for the standard output the text is written beside the file, or where the word says. */
function reviewDashed(to: Collector, { operands }: ParsedArguments): void {
  if (operands.length === 0 || (operands.length === 2 && literalValue(operands[1]) === "-")) return;
  addEffect(to, "unknown", to.simple.span, `\`${to.program}\` writes a file unless its second word is a dash`);
}

/** The variables of what is inspected are shown as well, unless a format names other parts alone. */
function reviewInspected(to: Collector, { options, operands }: ParsedArguments): void {
  const given = (name: string): readonly string[] =>
    options.flatMap(({ spec, value }) => (spec.names.includes(name) ? (literalValue(value ?? undefined) ?? "") : []));
  const formats = given("--format");
  if (given("--type").some((type) => type === "volume" || type === "network")) return;
  if (formats.length > 0 && formats.every((format) => format !== "" && !MAY_SHOW_VARIABLES.test(format))) return;
  addEffect(to, "secrets", operands[0]?.span ?? to.simple.span, `\`${to.program}\` shows the variables of what it inspects`);
}

/** A part of Docker's answers that holds variables, all of the answer (a dot alone), or what a variable of the template stands for. */
const MAY_SHOW_VARIABLES =
  /Env|Spec|Data|(?<!Host)Config(?!\.(?:Cmd|Entrypoint|ExposedPorts|Hostname|Image|Labels|User|WorkingDir)\b)|\.(?![A-Z])|\$|^(?!.*\{\{)/s;

/** `lsof -i@HOST` asks for the address of the name. */
function reviewSockets(to: Collector, { options, operands }: ParsedArguments): void {
  for (const word of [...operands, ...options.flatMap(({ spec, value }) => (value !== null && spec.names.includes("-i") ? value : []))]) {
    const at = literalPrefix(word).indexOf("@");
    if (at >= 0 && !/^[\d.]+(?::|$)|^\[/.test(literalPrefix(word).slice(at + 1))) to.hosts.push(remoteHostOf(behind(word, at + 1)));
  }
}

/** Without a name npm takes that of package.json: one of a repository is fetched with the git that `.npmrc` names. */
function reviewName(to: Collector, { operands }: ParsedArguments): void {
  if (operands.length > 0) return;
  addEffect(
    to,
    "runs-code",
    to.simple.span,
    `\`${to.program}\` without a name asks about the one in package.json, for which it may start a program that .npmrc names`,
  );
}

/** `npm run NAME`, `npm test`: the text stands in `package.json`. */
function reviewPackageScript(to: Collector, { node, operands, options }: ParsedArguments): void {
  const words = node.path.split(" ");
  const last = words.at(-1) ?? "";
  const isNamed = last === "run" || last === "run-script";
  const name = isNamed ? literalValue(operands[0]) : last === "t" || last === "tst" ? "test" : last;
  const span = operands[0]?.span ?? to.simple.span;
  if (isNamed && operands.length === 0) return;
  addEffect(to, "runs-code", span, `\`${node.path}${isNamed && name !== null ? ` ${name}` : ""}\` runs a script of package.json`);
  const file = literalPath("package.json", to.paths);
  if (file.kind !== "literal" || name === null || options.length > 0) return;
  to.needs.push(file.path);
  const scripts = scriptsOf(to.texts.get(file.path) ?? null);
  for (const each of [`pre${name}`, name, `post${name}`]) {
    const text = scripts?.get(each);
    if (text !== undefined)
      to.nested.push({ kind: "script", text: literalAt({ kind: "literal", value: text, quoted: true, span }, text), via: node.path, dialect: "sh" });
  }
}

function scriptsOf(text: string | null): ReadonlyMap<string, string> | null {
  if (text === null) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const scripts = typeof parsed === "object" && parsed !== null && "scripts" in parsed ? parsed.scripts : null;
  if (typeof scripts !== "object" || scripts === null) return null;
  return new Map(Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** `make TARGET`: the recipes stand in the Makefile, its own and those of what it needs; without any, make's own rules still run programs. */
function reviewMake(to: Collector, { operands, options }: ParsedArguments): void {
  const targets = operands.flatMap((word) => literalValue(word) ?? []).filter((value) => !value.includes("="));
  const span = operands[0]?.span ?? to.simple.span;
  const [first] = targets;
  addEffect(to, "runs-code", span, first === undefined ? "`make` runs the first recipe of the Makefile" : `\`make ${first}\` runs a recipe of the Makefile`);
  const file = literalPath("Makefile", to.paths);
  if (file.kind !== "literal" || options.some((option) => option.name === "-f" || option.name === "--file")) return;
  to.needs.push(file.path);
  for (const line of recipesOf(to.texts.get(file.path) ?? "", targets)) {
    to.nested.push({ kind: "script", text: { kind: "literal", value: line, quoted: true, span }, via: "make", dialect: "make" });
  }
}
