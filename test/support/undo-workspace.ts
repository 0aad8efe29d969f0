import { openUndo, type UndoReport } from "../../src/landing/undo/undo.ts";

/** A script that says what is in a workspace: names, types, modes, owners, contents, lists, attributes, and what git knows of it. */
export const FACTS = String.raw`
find . -path ./.git -prune -o -printf '%p %y %m %U:%G %l\n' | sort
find . -path ./.git -prune -o -type f -print | sort | xargs -r sha256sum
find . -path ./.git -prune -o ! -type l -print | sort | getfacl -p - 2> /dev/null | grep -A8 -e listed -e closed || true
find . -path ./.git -prune -o ! -type l -print | sort | tr '\n' '\0' | xargs -0r getfattr -d 2> /dev/null || true
test ! -d .git || { git for-each-ref; git symbolic-ref -q HEAD || git rev-parse HEAD; git ls-files -s; git status --porcelain; }`;

/** A workspace with one of each kind. */
export const FILES = `echo old > a; echo gone > gone; setfattr -n user.kind -v old gone; mkdir -p d/e; echo x > d/e/x; chmod 2750 d/e; ln -s a link; ln -s /outside away
  echo c > moded; chmod 640 moded; mkdir repl; echo in > repl/in; echo t > turned; echo l > listed; setfacl -m u:daemon:r listed; chmod 600 gone
  mkdir closed; setfacl -d -m u:daemon:rx closed; head -c 300000 /dev/zero > sparse; echo setgid > special; chmod 2755 special`;

/** What a run makes of it. */
export const CHANGE = `echo new > a; rm gone; rm -r d; ln -sf gone link; rm away; chmod 600 moded; rm -r repl; echo file > repl; rm turned; mkdir turned; echo i > turned/i
  echo more >> listed; rm -r closed; rm sparse; rm special; mkdir -p n/m; echo n > n/m/f; ln -s a fresh`;

/** Takes the last landing or discard of a run back. */
export async function undoIn(runDirectory: string, paths: readonly string[] = []): Promise<UndoReport> {
  const last = await openUndo(runDirectory);
  if (last === null) throw new Error("There is nothing to take back.");
  try {
    return await last.undo(paths);
  } finally {
    await last.close();
  }
}
