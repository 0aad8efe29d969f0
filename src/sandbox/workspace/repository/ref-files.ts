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
  if (target !== undefined) return isRefName(target) ? [] : "It points at no ref.";
  return ID.test(value) ? [{ id: value, type: typeFor(path) }] : "It is no ref.";
}

/** As many names as git follows from one ref to the next (refs.c, SYMREF_MAXDEPTH). */
const MAX_NAMES = 5;

/** The commit that a symbolic or plain HEAD stands for; null when that cannot be told. */
export function headCommit(read: (path: string) => string | null): string | null {
  let name = "HEAD";
  for (let left = MAX_NAMES; left >= 0; left -= 1) {
    const value = read(name)?.trim() ?? packedIds(read("packed-refs") ?? "").get(name) ?? "";
    const next = /^ref: (.*)$/u.exec(value)?.[1];
    if (next === undefined) return ID.test(value) ? value : null;
    if (!isRefName(next)) return null;
    name = next;
  }
  return null;
}

/** What a list of packed refs says of each; nothing else of it is judged. */
export function packedIds(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split("\n")
      .flatMap((line) => packedRef(line) ?? [])
      .map(({ ref, id }) => [ref, id]),
  );
}

function readPackedRefs(text: string): readonly NeededObject[] | string {
  const needed: NeededObject[] = [];
  let last = Buffer.alloc(0);
  for (const line of text.split("\n")) {
    const peeled = line.startsWith("^") ? line.slice(1) : null;
    if (line === "" || line.startsWith("# pack-refs with:")) continue;
    if (peeled !== null && ID.test(peeled)) {
      needed.push({ id: peeled, type: null });
      continue;
    }
    const found = packedRef(line);
    if (found === null || found.ref.startsWith("refs/replace/")) return "It is no list of refs.";
    // Git writes each once, sorted, and searches for them by halves: of others it may find another id than a review shows, or none.
    const ref = Buffer.from(found.ref);
    if (last.compare(ref) >= 0) return "It has refs twice, or not in order.";
    last = ref;
    needed.push({ id: found.id, type: typeFor(found.ref) });
  }
  return needed;
}

function packedRef(line: string): { readonly id: string; readonly ref: string } | null {
  const end = line.indexOf(" ");
  const [id, ref] = [line.slice(0, end), line.slice(end + 1)];
  return ID.test(id) && isRefName(ref) ? { id, ref } : null;
}

function isRefName(name: string): boolean {
  return REF.test(name) && !name.includes("..");
}

function typeFor(path: string): "commit" | null {
  return path === "HEAD" || path.startsWith("refs/heads/") ? "commit" : null;
}
