import type { Role } from "../../../programs/table.ts";
import type { Word } from "../../model/model.ts";
import { readAwkProgram } from "../languages/awk.ts";
import { readFzfBind } from "../languages/fzf.ts";
import { readGitConfig, readGitFormat } from "../languages/git-config.ts";
import { readJqFilter } from "../languages/jq.ts";
import { readSedScript } from "../languages/sed.ts";
import { readSql } from "../languages/sql.ts";
import { readYqFilter } from "../languages/yq.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect, addPath, addPathOperand } from "../reading/collector.ts";
import { readComposeDirectory, readComposeFile } from "./compose.ts";
import { readAssignment } from "./environment.ts";
import { readGitUrl, readRefspec, readRepository } from "./git.ts";
import { hostOf, hostsOf, isRecordType, isRemotePath, remoteHostOf } from "../operands/hosts.ts";
import { changeDirectory } from "../operands/paths.ts";
import { fileOfUrl, isFileUrl } from "../operands/file-url.ts";
import { behind, isCommit, isUnbounded, literalAt, literalPrefix, literalValue, showWord } from "../../model/words.ts";
import { readName, readSetting } from "./own-names.ts";
import { beginning, readReplaced } from "./written-names.ts";

type RoleReader = (to: Collector, word: Word, isOption: boolean) => void;

/** Records what a word does in its role. `isOption`: it is an option's value, where `-` is a standard stream. */
export function readRole(to: Collector, role: Role, word: Word, isOption: boolean): void {
  if (role === "read") readFile(to, word);
  else if (role !== "text") READERS[role](to, word, isOption);
}

const nothing: RoleReader = () => undefined;

function readFile(to: Collector, word: Word): void {
  if (literalValue(word) !== "-") addPath(to, "reads", word);
  // Programs that read files often fetch them too.
  if (/^(?:https?|ftps?|oci|s3|gs|ssh|git):\/\//i.test(literalPrefix(word))) to.hosts.push(hostOf(word));
}

const READERS: Readonly<Record<Exclude<Role, "text" | "read">, RoleReader>> = {
  // The wrapped command is analysed by the caller.
  command: nothing,
  "read-tree": (to, word) => {
    if (literalValue(word) !== "-") addPath(to, "reads", word, true);
  },
  // OpenSSL takes an address in a file's place, and one of an engine is a library that it loads.
  "plain-file": (to, word) => {
    addPath(to, "reads", word);
    if (word.kind === "dynamic" ? literalPrefix(word) === "" : isRemotePath(literalPrefix(word)))
      addEffect(to, "runs-code", word.span, `${showWord(word)} may be an address, behind which \`${to.program}\` loads a library`);
    if (literalPrefix(word).startsWith("@")) addEffect(to, "unknown", word.span, `${showWord(word)} may name a file of further options`);
  },
  // Helm asks a plug-in for what is behind any other scheme (`secrets://` decrypts).
  chart: (to, word) => {
    readRole(to, "read", word, true);
    if (/^(?!https?:|oci:|file:)[\w.+-]+:\/\//i.test(literalPrefix(word)))
      addEffect(to, "runs-code", word.span, `${showWord(word)} is fetched by the plug-in of \`${to.program}\` for its scheme`);
  },
  "compose-file": (to, word) => {
    readRole(to, "read", word, true);
    readComposeFile(to, word);
  },
  "compose-directory": readComposeDirectory,
  list: readList,
  suffix: (to, word) => {
    if (word.kind !== "literal" || word.value.includes("/")) addEffect(to, "unknown", word.span, `${showWord(word)} may put a copy into another directory`);
    // A star is the file's own name (sed): what stands before it begins the name of the copy.
    else if (word.value.lastIndexOf("*") > 0) addEffect(to, "unknown", word.span, `${showWord(word)} may give a copy a name of its own`);
  },
  object: (to, word) => {
    addPath(to, "reads", word);
    const text = literalPrefix(word);
    if (text.startsWith("@") || (text === "" && word.kind !== "literal"))
      addEffect(to, "unknown", word.span, `${showWord(word)} may name a file of further options`);
  },
  charset: (to, word) => {
    if (word.kind !== "literal" || word.value.includes("/")) addPath(to, "reads", word);
  },
  write: (to, word) => addPath(to, "writes", word),
  "write-stream": (to, word, isOption) => {
    if (!isOption || literalValue(word) !== "-") addPath(to, "writes", word);
  },
  "write-start": (to, word) => addPath(to, "writes", beginning(word)),
  "write-tree": (to, word) => addPath(to, "writes", word, true),
  delete: (to, word) => addPath(to, "deletes", word, isUnbounded(word)),
  "delete-tree": (to, word) => addPath(to, "deletes", word, true),
  move: (to, word) => addPath(to, "deletes", word),
  replace: readReplaced,
  url: readUrl,
  host: (to, word) => void to.hosts.push(remoteHostOf(word)),
  record: (to, word) => {
    if (!isRecordType(word)) to.hosts.push(remoteHostOf(word));
  },
  // `host:path` is elsewhere.
  // `:memory:` names no host.
  source: (to, word) => (literalPrefix(word).startsWith(":") ? addPath(to, "reads", word) : readEnd(to, word, "reads")),
  target: (to, word) => readEnd(to, word, "writes"),
  code: (to, word) => addEffect(to, "runs-code", word.span, `\`${to.program}\` runs ${showWord(word)} as code`),
  "code-file": (to, word) => {
    if (literalValue(word) === "-") addEffect(to, "runs-code", word.span, `\`${to.program}\` runs what it reads from standard input`);
    else addPath(to, "runs-code", word);
  },
  shell: (to, word) => {
    if (word.kind === "literal") to.nested.push({ kind: "script", text: word, via: to.program, dialect: "sh" });
    else addEffect(to, "undecidable", word.span, `\`${to.program}\` hands ${showWord(word)} to a shell`);
  },
  directory: (to, word) => {
    addPath(to, "reads", word);
    to.paths = { ...to.paths, directory: changeDirectory(word, to.paths) };
  },
  repository: readRepository,
  environment: (to, word) => readAssignment(to, word),
  variable: (to, word) => readAssignment(to, word.kind === "literal" ? literalAt(word, `${word.value}=0`) : word),
  secret: (to, word) => addEffect(to, "secrets", word.span, `\`${to.program}\` reads the secret ${showWord(word)}`),
  mode: readMode,
  "sed-script": readSedScript,
  "awk-program": readAwkProgram,
  "jq-filter": readJqFilter,
  "git-config": readGitConfig,
  "git-url": readGitUrl,
  "git-format": readGitFormat,
  "ssh-option": (to, word) => {
    if (!HARMLESS_SSH.test(literalValue(word) ?? "")) addEffect(to, "runs-code", word.span, `${showWord(word)} may name a program that ssh runs`);
  },
  sql: readSql,
  // A name, or where the database is: `postgres://host/name`.
  database: (to, word) => {
    const text = literalPrefix(word);
    const isUrl = /^(?:postgres(?:ql)?|mysql):\/\//.test(text);
    if (isUrl) to.hosts.push(hostOf(word));
    // `?host=`, `?hostaddr=` lead to another server, `?sslkey=`, `?passfile=` and `?service=` to files.
    if (isUrl && PLAIN_QUERY.test(text)) return;
    if (isUrl || word.kind !== "literal" || !/^[\w.-]+$/.test(text)) addEffect(to, "unknown", word.span, `${showWord(word)} is no plain name of a database`);
  },
  // `HOST:PORT:OTHER:PORT`: the other one is asked in the place of the first.
  "connect-to": (to, word) => {
    const at = word.kind === "literal" ? (/^[\w.-]*:\d*:(?=[\w[])/.exec(word.value)?.[0].length ?? 0) : 0;
    if (at === 0) addEffect(to, "unknown", word.span, `${showWord(word)} names no other host that is known beforehand`);
    else to.hosts.push(hostOf(literalAt(word, literalPrefix(behind(word, at)).replace(/:$/, ""))));
  },
  "fzf-bind": readFzfBind,
  "yq-filter": readYqFilter,
  // `secret`, `secrets/db`, `pods,secrets`, `secret.v1`.
  "kube-resource": (to, word) => {
    const isSecret = /(?:^|,)secrets?(?:[./,]|$)/i.test(literalPrefix(word));
    if (word.kind !== "literal" || isSecret) addEffect(to, "secrets", word.span, `\`${to.program}\` may show secrets: ${showWord(word)}`);
  },
  // Clouds' tools read a value from a file (`file://f`, `fileb://f`, `@f`) or fetch it, and send it.
  value: (to, word) => {
    if (word.kind !== "dynamic" && !/^(?:fileb?:|https?:|@)/i.test(literalPrefix(word))) return;
    if (word.kind === "dynamic" && !/^(?:fileb?:|https?:|@|)$/i.test(literalPrefix(word))) return;
    addEffect(to, "sends", word.span, `${showWord(word)} may stand for a file whose content is sent`);
    readFileBehind(to, word, /^(?:fileb?:\/\/|@)/i);
  },
  // A zone, a region, an account becomes part of the server's name, which `x.test/` would end.
  label: (to, word) => {
    if (word.kind !== "literal" || !/^[\w.,-]*$/.test(word.value))
      addEffect(to, "sends", word.span, `${showWord(word)} may make another server's name than the configured one`);
  },
  // `:outdated` asks for a package under the name of a directory, which may be a repository's: git is then a program that .npmrc names.
  "npm-query": (to, word) => {
    if (word.kind !== "literal" || /[:\\]/.test(word.value.replaceAll(INSTALLED, "")))
      addEffect(to, "runs-code", word.span, `${showWord(word)} may ask for what is not installed, with a program that .npmrc names`);
  },
  macro: (to, word) => {
    if (word.kind !== "literal" || word.value.includes("%"))
      addEffect(to, "runs-code", word.span, `${showWord(word)} may hold a macro, which \`${to.program}\` expands, \`%(…)\` by a shell`);
  },
  refspec: readRefspec,
  // A commit or a path; `HEAD~2:f` is the file f of a commit.
  revision: (to, word) => {
    if (isCommit(word)) return;
    addPath(to, "reads", word);
    const colon = literalPrefix(word).indexOf(":");
    if (colon > 0 && word.kind === "literal" && !word.value.startsWith("/", colon + 1)) addPath(to, "reads", behind(word, colon + 1));
  },
  setting: readSetting,
  name: readName,
  // `+%F` is a format; anything else sets the clock.
  date: (to, word) => {
    if (!literalPrefix(word).startsWith("+")) addEffect(to, "system", word.span, `\`date\` may set the clock to ${showWord(word)}`);
  },
  // Whether it is sent as data, or is a part of the address, the whole request says.
  data: (to, word) => readFileValue(to, word, "@"),
  form: readForm,
  encoded: (to, word) => readFileBehind(to, word, /^[^=@]*@/),
  field: (to, word) => readFileBehind(to, word, /^[^=]*=@/),
  "curl-format": (to, word) => {
    const text = literalPrefix(word);
    // What a file holds may be a format that writes another.
    if (word.kind !== "literal" || text.startsWith("@") || text.includes("%output{"))
      addEffect(to, "unknown", word.span, `${showWord(word)} may make \`${to.program}\` write a file`);
    readFileValue(to, word, "@");
  },
  package: readPackage,
  forge: readForge,
  endpoint: readEndpoint,
  header: (to, word) => {
    // Servers take the method that such a header names for the one of the request.
    const isMore = /^@|^x-(?:http-)?method/i.test(literalPrefix(word));
    if (word.kind !== "literal" || isMore) addEffect(to, "sends", word.span, `\`${to.program}\` sends the header ${showWord(word)}`);
    readFileValue(to, word, "@");
  },
};

/** What a query of npm asks of the installed tree alone. */
const INSTALLED = /:(?:attr|deduped|empty|extraneous|has|invalid|is|link|missing|not|overridden|path|private|root|scope|semver|type)\b/g;

const PLAIN_QUERY = /^[^?]*(?:\?(?:(?:sslmode|connect_timeout|application_name|client_encoding|target_session_attrs)=[\w.-]*(?:&|$))*)?$/;

const PLAIN_PACKAGE = /^(?:@\w[\w.-]*\/)?\w[\w.+-]*(?:@[\w.+~^<>=*-]*)?$/;

/** What a registry knows by name; a path, a URL or a repository is fetched, and built or evaluated where it is read. */
function readPackage(to: Collector, word: Word): void {
  if (word.kind === "literal" && PLAIN_PACKAGE.test(word.value)) return;
  addEffect(to, "runs-code", word.span, `${showWord(word)} may be a package that no registry holds, which \`${to.program}\` fetches and evaluates`);
}

/** `owner/name` on the server that is configured; with a host in front it is another one, which the person's token may go to. */
function readForge(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  if (word.kind === "literal" && (/^[\w.-]+(?:\/[\w.-]+)?$/.test(text) || text.startsWith("https://github.com/"))) return;
  readElsewhere(to, word);
}

/** A name or a path on the server that is configured; a whole URL leads to the server that it names. */
function readEndpoint(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  if (word.kind === "literal" && (!/:\/\/|^git@/.test(text) || /^https:\/\/(?:api\.)?github\.com\//.test(text))) return;
  readElsewhere(to, word);
}

function readElsewhere(to: Collector, word: Word): void {
  if (word.kind === "literal") to.hosts.push(hostOf(word));
  addEffect(to, "sends", word.span, `${showWord(word)} may name another server than the configured one`);
}

function readUrl(to: Collector, word: Word): void {
  const text = literalPrefix(word);
  if (isFileUrl(word)) addPath(to, "reads", fileOfUrl(word));
  // Of `--url @f` each line of f is a URL.
  else if (text.startsWith("@")) {
    readList(to, behind(word, 1));
    to.hosts.push({ host: { kind: "dynamic", prefix: "" }, isTainted: true, word });
  } else to.hosts.push(...hostsOf(word, to.simple));
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && !READING_SCHEMES.has(scheme)) addEffect(to, "sends", word.span, `a request by \`${scheme}\` carries what it is given`);
}

const READING_SCHEMES = new Set(["http", "https", "ftp", "ftps", "file"]);

/** `u+s`, `g=rs`, `4755`: whoever runs the file gets its owner's rights. */
function readMode(to: Collector, word: Word): void {
  const mode = literalValue(word);
  if (mode === null || /[+=][rwxXt]*s/.test(mode) || /^[+=-]?0*[2-7]\d{3}$/.test(mode)) {
    addEffect(to, "privilege", word.span, `the mode ${showWord(word)} may set the owner's or group's rights on execution`);
  }
}

/** `@file` reads the value from a file. */
function readFileValue(to: Collector, word: Word, sign: string): void {
  const text = literalPrefix(word);
  if (text.startsWith(sign)) {
    if (text !== `${sign}-`) addPath(to, "reads", behind(word, sign.length));
  } else if (word.kind !== "literal" && text === "") addPath(to, "reads", word);
}

/** The path behind what `sign` matches at the beginning of the word. */
function readFileBehind(to: Collector, word: Word, sign: RegExp): void {
  const found = sign.exec(literalPrefix(word))?.[0];
  if (found !== undefined) addPath(to, "reads", behind(word, found.length));
}

/** One end of a copy between machines. */
function readEnd(to: Collector, word: Word, kind: "reads" | "writes"): void {
  if (isRemotePath(literalPrefix(word))) to.hosts.push(remoteHostOf(word));
  else addPath(to, kind, word);
}

/** A file whose lines name further files: which ones is known only when it runs. */
function readList(to: Collector, word: Word): void {
  if (literalValue(word) !== "-") addPath(to, "reads", word);
  addPathOperand(to, "reads", { path: { kind: "dynamic", prefix: "" }, span: word.span, shown: `what ${showWord(word)} names` });
}

const HARMLESS_SSH =
  /^(?:BatchMode|ConnectTimeout|ConnectionAttempts|ServerAliveInterval|ServerAliveCountMax|StrictHostKeyChecking|LogLevel|Port|User|Compression)[= ]/i;

/** `name=@file`, `name=<file`, `name=content`. */
function readForm(to: Collector, word: Word): void {
  addEffect(to, "sends", word.span, `\`${to.program}\` sends the form field ${showWord(word)}`);
  const text = literalPrefix(word);
  const equals = text.indexOf("=");
  if (equals >= 0 && /^[@<]/.test(text.slice(equals + 1))) {
    const value = behind(word, equals + 2);
    addPath(to, "reads", value.kind === "literal" ? { ...value, value: value.value.split(/[;,]/)[0] ?? "" } : value);
  }
}
