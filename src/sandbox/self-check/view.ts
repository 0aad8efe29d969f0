/** One mount, as mountinfo tells of it. */
export type Mount = { readonly target: string; readonly options: readonly string[]; readonly type: string };

/** What the supervisor's `probe` found. What is not told is `not told`, which nothing expects. */
export type BoundaryView = {
  /** A line of /proc/self/status, without its name. */
  status(name: string): string;
  /** The hard limit of a resource. */
  limit(name: string): string;
  /** Network interfaces; null: not told. */
  readonly interfaces: readonly string[] | null;
  readonly routes: string;
  readonly hostname: string;
  /** The program of process 1. */
  readonly init: string;
  readonly memory: string;
  readonly processes: string;
  readonly mounts: readonly Mount[];
  /** The errno that an attempt ended with, 0 where it worked; null: not told. */
  attempt(name: string): number | null;
};

const NOT_TOLD = "not told";

/** Reads the text that `probe` gives. Total: what is missing is not told. */
export function readView(text: string): BoundaryView {
  const parts = new Map(
    text.split(/^== /mu).map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end + 1).trim()] as const;
    }),
  );
  const part = (name: string): string => parts.get(name) ?? NOT_TOLD;
  const lines = (name: string): readonly string[] =>
    part(name)
      .split("\n")
      .filter((line) => line !== "");
  const told = (found: string | undefined): string => found?.trim() ?? NOT_TOLD;
  const attempts = new Map(lines("attempts").map((line) => line.split(" ") as [string, string | undefined]));
  const interfaces = parts.has("interfaces") ? lines("interfaces").flatMap((line) => (line.includes("|") ? [] : [line.split(":", 1)[0]?.trim() ?? ""])) : null;
  return {
    status: (name) => told(new RegExp(`^${name}:[ \\t]*(.*)$`, "mu").exec(part("status"))?.[1]),
    limit: (name) => told(new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "mu").exec(part("limits"))?.[1]),
    interfaces,
    routes: parts.has("routes") ? lines("routes").slice(1).join("; ") : NOT_TOLD,
    hostname: part("hostname"),
    init: part("init").split("\0", 1)[0] ?? "",
    memory: part("memory"),
    processes: part("processes"),
    mounts: lines("mounts").map(mountOf),
    attempt: (name) => {
      const code = attempts.get(name);
      return code !== undefined && /^\d+$/u.test(code) ? Number(code) : null;
    },
  };
}

/** A line of mountinfo (proc(5)): the fifth field is the mount point, blanks in it as octal escapes; the sixth its options; the file system's type follows a dash. */
function mountOf(line: string): Mount {
  const fields = line.split(" ");
  const target = (fields[4] ?? "").replaceAll(/\\(\d{3})/gu, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
  return { target, options: (fields[5] ?? "").split(","), type: fields[fields.indexOf("-") + 1] ?? "" };
}
