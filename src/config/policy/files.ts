import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { isShipped, SHIPPED_POLICIES, shippedPath } from "../shipped-policies.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import { MAX_KIBIBYTES_OF_A_FILE, MAX_POLICY_KIBIBYTES, sizeText } from "../../policy/text/file-size.ts";

/** How long each kind of file may be. */
const MAX_KIBIBYTES = {
  policy: MAX_POLICY_KIBIBYTES,
  "file of jobs": MAX_KIBIBYTES_OF_A_FILE,
  "suite of tests": MAX_KIBIBYTES_OF_A_FILE,
  "snapshot of a suite": MAX_KIBIBYTES_OF_A_FILE,
};

/** What to do where there is none. */
const WHERE_NONE_IS: Readonly<Partial<Record<keyof typeof MAX_KIBIBYTES, string>>> = {
  policy: "Name a file, or a shipped policy such as `unattended`.",
  "suite of tests": "Write it, as docs/policy-language.md shows in section 9. `warder policy init` writes a first one beside a first policy.",
};

/** A policy file that was read: `path` is real and absolute, `file` what a person called it, `identity` its device and inode, `owner` the id of its user. */
export type PolicyFile = { readonly file: string; readonly path: string; readonly text: string; readonly identity: string; readonly owner: number };

/** The path of a policy that a person named: a shipped name (no `/`, no `.yaml`), or a path. */
export function policyPath(nameOrPath: string, directory: string): string {
  if (!nameOrPath.includes("/") && !/\.ya?ml$/u.test(nameOrPath)) return shippedPath(nameOrPath);
  return isAbsolute(nameOrPath) ? nameOrPath : resolve(directory, nameOrPath);
}

/** The path of what a policy extends: a shipped name, or a path with a `/` beside the file. */
export function parentPath(parent: string, child: PolicyFile): string {
  return parent.includes("/") ? resolve(dirname(child.path), parent) : shippedPath(parent);
}

/**
 * Reads a policy file. Throws `bad-policy` if it is missing, no regular file, too long or not UTF-8. `file` is the name that a person gave it, `what`
 * the kind of file.
 */
export function readPolicyFile(path: string, file: string, what: keyof typeof MAX_KIBIBYTES = "policy"): PolicyFile {
  const shown = makeVisibleLine(file);
  try {
    // Not to wait for who writes into a named pipe: it is no regular file.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile()) throw new AgentError("bad-policy", `The ${what} ${shown} is no regular file.`);
      if (status.nlink > 1 && !isShipped(realpathSync(path)))
        throw new AgentError("bad-policy", `The ${what} ${shown} has another name too (a hard link), under which somebody could change it.`, {
          remedy: `Make a copy of its own: cp ${shown} ${shown}.new && mv ${shown}.new ${shown}`,
        });
      if (status.size > MAX_KIBIBYTES[what] * 1024)
        throw new AgentError("bad-policy", `The ${what} ${shown} is longer than ${sizeText(MAX_KIBIBYTES[what])}.`, {
          remedy: what === "policy" ? "Leave rules out, or move some to a policy that this one `extends`." : "Split it into several files.",
        });
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
      const real = realpathSync(path);
      const there = lstatSync(real);
      // Where it lies decides whether it is trusted: a link that was put elsewhere meanwhile must not lend its text another place.
      if (there.dev !== status.dev || there.ino !== status.ino)
        throw new AgentError("bad-policy", `The ${what} ${shown} was replaced while it was read. Load it anew.`);
      return { file, path: real, text, identity: `${status.dev}:${status.ino}`, owner: status.uid };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof AgentError) throw error;
    if (error instanceof TypeError) throw new AgentError("bad-policy", `The ${what} ${shown} is not UTF-8 text.`, { cause: error });
    const code = (error as NodeJS.ErrnoException).code;
    throw new AgentError(
      "bad-policy",
      code === "ENOENT"
        ? `There is no ${what === "policy" ? "policy file" : what} ${shown}${isAbsolute(file) ? "" : ` (${makeVisibleLine(resolve(path))})`}.`
        : `The ${what} ${shown} cannot be read (${code ?? "unknown error"}).`,
      { cause: error, remedy: (code === "ENOENT" ? WHERE_NONE_IS[what] : undefined) ?? "Check its path, owner and mode." },
    );
  }
}

/** As a person would name it from where they are; shipped ones by their place in the package. */
export function shownName(path: string, directory: string): string {
  if (isWithin(path, SHIPPED_POLICIES)) return `policies${path.slice(SHIPPED_POLICIES.length)}`;
  const fromHere = relative(directory, path);
  return fromHere === "" || /^\.\.\/\.\.(?:\/|$)/u.test(fromHere) ? path : fromHere;
}

/** With links resolved as far as the path exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || path === "/")
      throw new AgentError("bad-policy", `The path ${path} cannot be resolved.`, { cause: error });
    return join(realPath(dirname(path)), basename(path));
  }
}
