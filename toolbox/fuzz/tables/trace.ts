/** What one command really did, as the system calls say. */
export type Deeds = {
  /** Absolute paths that were opened for writing, created, or renamed to. */
  readonly written: Set<string>;
  /** Absolute paths that were unlinked or renamed away and that the command had not made itself. */
  readonly deleted: Set<string>;
  /** Names of the programs that were started behind the first. */
  readonly started: Set<string>;
  /** Whether a connection by internet addresses was tried. */
  hasConnected: boolean;
};

type Reading = {
  readonly cases: Map<number, Deeds>;
  current: Deeds | null;
  home: string;
  isFirst: boolean;
  readonly made: Set<string>;
  readonly cwds: Map<string, string>;
};

/** Reads what strace wrote (`-f -y`): the deeds of each command, by the number behind its marker. */
export function readTrace(text: string): Map<number, Deeds> {
  const reading: Reading = { cases: new Map(), current: null, home: "/", isFirst: true, made: new Set(), cwds: new Map() };
  const halves = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const open = / <unfinished \.\.\.>$/.exec(rest);
    if (open !== null) {
      halves.set(pid, rest.slice(0, open.index));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    const whole = resumed === null ? rest : `${halves.get(pid) ?? ""}${rest.slice(resumed[0].length)}`;
    readCall(reading, pid, whole);
  }
  return reading.cases;
}

function readCall(reading: Reading, pid: string, line: string): void {
  const [, name = "", rest = ""] = /^(\w+)\((.*)$/s.exec(line) ?? [];
  if (name === "") return;
  const end = rest.lastIndexOf(") ");
  const values = rest.slice(0, end);
  const result = / = (-?\d+)/.exec(rest.slice(end))?.[1] ?? "-1";
  const hasFailed = result.startsWith("-");
  const marker = /"\/marker\/(\d+)"/.exec(values)?.[1];
  if (marker !== undefined) return begin(reading, Number(marker));
  const cwd = /AT_FDCWD<([^>]*)>/.exec(values)?.[1];
  if (cwd !== undefined) reading.cwds.set(pid, cwd);
  const deeds = reading.current;
  const paths = pathsIn(values, reading.cwds.get(pid) ?? reading.home);
  if (name === "chdir" && !hasFailed && paths[0] !== undefined) reading.cwds.set(pid, paths[0]);
  if (name === "fchdir" && !hasFailed) reading.cwds.set(pid, /<([^>]*)>/.exec(values)?.[1] ?? "/");
  if (deeds === null) return;
  const change = { reading, deeds, paths, hasFailed };
  if (name === "execve") {
    if (hasFailed || paths[0] === undefined) return;
    if (!reading.isFirst) deeds.started.add(paths[0].slice(paths[0].lastIndexOf("/") + 1));
    reading.isFirst = false;
  } else if (name === "socket" || name === "connect") {
    if (/AF_INET6?\b/.test(values) && name === "connect") deeds.hasConnected = true;
  } else if (reading.isFirst) return;
  else if (name === "open" || name === "openat" || name === "openat2" || name === "creat") readOpening(change, values, name);
  else readChange(change, name);
}

function begin(reading: Reading, number: number): void {
  reading.current = { written: new Set(), deleted: new Set(), started: new Set(), hasConnected: false };
  reading.cases.set(number, reading.current);
  // A process that was only forked has said nothing of its directory yet.
  reading.home = `/c/${String(number)}`;
  reading.isFirst = true;
  reading.made.clear();
}

type Change = { readonly reading: Reading; readonly deeds: Deeds; readonly paths: readonly string[]; readonly hasFailed: boolean };

function readOpening({ reading, deeds, paths, hasFailed }: Change, values: string, name: string): void {
  const path = paths[0];
  if (path === undefined || (name !== "creat" && !/O_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)/.test(values))) return;
  if (values.includes("O_TMPFILE")) return;
  deeds.written.add(path);
  if (/O_EXCL/.test(values) && !hasFailed) reading.made.add(path);
}

function readChange({ reading, deeds, paths, hasFailed }: Change, name: string): void {
  const [first, second] = paths;
  if (first === undefined) return;
  if (name.startsWith("rename") && second !== undefined) {
    deeds.written.add(second);
    if (!reading.made.has(first)) deeds.deleted.add(first);
    if (!hasFailed) reading.made.add(second);
  } else if (name.startsWith("unlink") || name === "rmdir") {
    if (!reading.made.has(first)) deeds.deleted.add(first);
  } else if (name.startsWith("link") || name.startsWith("symlink")) {
    const target = second ?? first;
    deeds.written.add(target);
    if (!hasFailed) reading.made.add(target);
  } else if (/^(?:mkdir|mknod|truncate|chmod|fchmodat|chown|lchown|fchownat|utimensat)/.test(name)) {
    // A directory's path ends in a slash: those above what is named are made on the way.
    if (!(name.startsWith("mkdir") && hasFailed)) deeds.written.add(name.startsWith("mkdir") ? `${first}/` : first);
    if (name.startsWith("mk") && !hasFailed) reading.made.add(first);
  }
}

/** The paths of a call, absolute: each text, below the directory that stands before it. */
function pathsIn(values: string, cwd: string): string[] {
  const paths: string[] = [];
  let from = cwd;
  for (const [, directory, text] of values.matchAll(/(?:AT_FDCWD|\b\d+)<([^>]*)>|"((?:[^"\\]|\\.)*)"/g)) {
    if (directory !== undefined) from = directory;
    else if (text !== undefined) {
      paths.push(normalise(text.startsWith("/") ? unescape(text) : `${from}/${unescape(text)}`));
      from = cwd;
    }
  }
  return paths;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : ({ n: "\n", t: "\t" }[code] ?? code),
  );
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
