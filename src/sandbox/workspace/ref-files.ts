// The text files of a repository that name objects, read as git reads them and no further (gitrepository-layout(5), git-pack-refs(1)).

/** An object that must be there before the file may land, and of which type it must be, where that is known. */
export type NeededObject = { readonly id: string; readonly type: "commit" | "blob" | null };

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF = /^refs(?:\/(?!\.)[^\u0000-\u0020~^:?*[\\\u007f/]+)+$/u;
const LOG_LINE = /^(?:[0-9a-f]{40} [0-9a-f]{40}|[0-9a-f]{64} [0-9a-f]{64}) [^\n<>]*<[^\n<>]*> \d+ [+-]\d{4}(?:\t[^\n]*)?$/u;

/** What a file of a repository needs, by its path in it; or why it is none that git wrote. */
export function neededObjects(path: string, text: string): readonly NeededObject[] | string {
  if (path === "packed-refs") return readPackedRefs(text);
  if (path.startsWith("logs/")) return text.split("\n").every((line) => line === "" || LOG_LINE.test(line)) ? [] : "It is no log of a ref.";
  if (path === "COMMIT_EDITMSG") return [];
  const value = text.replace(/\n$/, "");
  const target = /^ref: (.*)$/su.exec(value)?.[1];
  if (target !== undefined) return REF.test(target) && !target.includes("..") ? [] : "It points at no ref.";
  return ID.test(value) ? [{ id: value, type: typeFor(path) }] : "It is no ref.";
}

/** The commit that a symbolic or plain HEAD stands for; null when that cannot be told. */
export function headCommit(read: (path: string) => string | null): string | null {
  const head = read("HEAD")?.trim() ?? "";
  const ref = /^ref: (.*)$/u.exec(head)?.[1];
  if (ref === undefined) return ID.test(head) ? head : null;
  const own = REF.test(ref) && !ref.includes("..") ? (read(ref)?.trim() ?? "") : "";
  if (ID.test(own)) return own;
  const line = read("packed-refs")
    ?.split("\n")
    .find((candidate) => candidate.endsWith(` ${ref}`));
  return line?.split(" ")[0] ?? null;
}

/** What a list of packed refs says of each; nothing else of it is judged. */
export function packedIds(text: string): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [id = "", ref = ""] = line.split(" ", 2);
    if (ID.test(id) && ref !== "") ids.set(ref, id);
  }
  return ids;
}

function readPackedRefs(text: string): readonly NeededObject[] | string {
  const needed: NeededObject[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# pack-refs with:")) continue;
    const [id = "", ref = ""] = line.startsWith("^") ? [line.slice(1), "refs/peeled"] : line.split(" ", 2);
    if (!ID.test(id) || !REF.test(ref) || ref.includes("..") || ref.startsWith("refs/replace/")) return "It is no list of refs.";
    needed.push({ id, type: typeFor(ref) });
  }
  return needed;
}

function typeFor(path: string): "commit" | null {
  return path === "HEAD" || path.startsWith("refs/heads/") ? "commit" : null;
}
