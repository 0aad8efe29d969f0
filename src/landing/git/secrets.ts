import { makeVisibleLine } from "../../base/text.ts";
import type { CheckingGit } from "../../sandbox/workspace/repository/git.ts";
import type { FoundSecrets, SecretReader, SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";

/**
 * Names of the secrets in new objects that no file of the commit before has; or why they could not all be searched. `ids` are checked
 * objects; `before` is a commit or null.
 */
export async function repositorySecrets(
  ids: readonly string[],
  before: string | null,
  { git, secrets }: { readonly git: CheckingGit; readonly secrets: SecretScan },
): Promise<readonly string[] | string> {
  const found = await secretsOf(ids, git, secrets);
  if (typeof found === "string") return found;
  if (found.size === 0 || before === null) return namesOf(found);
  const tree = await git(["ls-tree", "-r", "--full-tree", before]);
  const old = tree.stdout
    .split("\n")
    .map((line) => /^\d+ blob ([0-9a-f]+)\t/u.exec(line)?.[1] ?? "")
    .filter((id) => id !== "");
  const known = await secretsOf(old, git, secrets);
  if (typeof known === "string") return namesOf(found);
  return namesOf(new Map([...found].filter(([key]) => !known.has(key))));
}

function namesOf(found: FoundSecrets): readonly string[] {
  return [...new Set(found.values())];
}

async function secretsOf(ids: readonly string[], git: CheckingGit, secrets: SecretScan): Promise<FoundSecrets | string> {
  const found = new Map<string, string>();
  const reader = batchReader(secrets, found);
  const read = await git(["cat-file", "--batch"], { input: ids.map((id) => `${id}\n`).join(""), onOutput: reader });
  return read.isDone ? found : `The commits cannot be searched for secrets: ${makeVisibleLine(read.complaint)}`;
}

/** Reads what `git cat-file --batch` prints, in whatever parts: a line `ID TYPE SIZE`, as many bytes, and a line end, for each object. */
function batchReader(secrets: SecretScan, found: Map<string, string>): (part: Buffer) => void {
  let header = "";
  let left = 0;
  let reader: SecretReader | null = null;
  return (part) => {
    let at = 0;
    while (at < part.length) {
      if (reader === null) {
        const end = part.indexOf(10, at);
        header += part.toString("latin1", at, end < 0 ? part.length : end);
        if (end < 0) return;
        at = end + 1;
        const size = /^[0-9a-f]+ [a-z]+ (\d+)$/u.exec(header)?.[1];
        header = "";
        // A missing object has no content.
        if (size === undefined) continue;
        left = Number(size) + 1;
        reader = secrets.reader();
      }
      const taken = Math.min(left, part.length - at);
      reader.push(part.subarray(at, at + taken));
      left -= taken;
      at += taken;
      if (left > 0) continue;
      for (const [key, name] of reader.end()) found.set(key, name);
      reader = null;
    }
  };
}
