import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Control } from "./control.ts";
import { switchOff } from "./control.ts";

type Patch = Pick<Control, "file" | "search" | "replace">;

/** Shared with the checkout; everything else is copied, what is not committed included. */
const SHARED = ["node_modules", ".tools"];
/** Parts in C, which are built again when a control in them is switched off. */
const BUILT_PARTS = ["sandbox/supervisor", "sandbox/host"];

/** A copy of a checkout, in which controls are switched off one at a time. */
export class CopiedTree {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies `checkout` to `root`, a folder that is not there yet. Who makes a tree removes it. */
  static ofCheckout(checkout: string, root: string): CopiedTree {
    mkdirSync(root);
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"], { cwd: checkout, encoding: "utf8" });
    for (const file of files.split("\0").filter((path) => path !== "" && !SHARED.includes(path))) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      copyIfThere(join(checkout, file), join(root, file));
    }
    cpSync(join(checkout, "sandbox/build"), join(root, "sandbox/build"), { recursive: true });
    for (const folder of SHARED) symlinkSync(realpathSync(join(checkout, folder)), join(root, folder));
    // The egress proxy reads its program as a user of its own.
    chmodSync(root, 0o755);
    return new CopiedTree(root);
  }

  /** Copies a tree without patches to `root`, a folder that is not there yet. */
  copyTo(root: string): CopiedTree {
    cpSync(this.root, root, { recursive: true, verbatimSymlinks: true });
    chmodSync(root, 0o755);
    return new CopiedTree(root);
  }

  /** Applies patches, has `use` work in the tree, and takes them back. Throws when a search text is not there exactly once. */
  async withPatches<Result>(id: string, patches: readonly Patch[], use: (root: string) => Result | Promise<Result>): Promise<Result> {
    const texts = new Map(patches.map(({ file }) => [file, readFileSync(join(this.root, file), "utf8")]));
    const patched = new Map(texts);
    for (const patch of patches) patched.set(patch.file, switchOff({ id, ...patch }, patched.get(patch.file) ?? ""));
    try {
      for (const [file, text] of patched) this.#write(file, text);
      return await use(this.root);
    } finally {
      for (const [file, text] of texts) this.#write(file, text);
    }
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.root, file), text);
    const part = BUILT_PARTS.find((folder) => file.startsWith(`${folder}/`));
    if (part !== undefined) execFileSync("sh", [join(this.root, part, "build.sh")], { stdio: "pipe" });
  }
}

/** A file that is deleted and not committed, or goes while it is read, is not copied. */
function copyIfThere(from: string, to: string): void {
  try {
    cpSync(from, to, { verbatimSymlinks: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
