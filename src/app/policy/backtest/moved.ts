import { isWithin } from "../../../policy/matching/paths.ts";

/** A path of one directory as a path of another; one that does not lie in it stays. All absolute. */
export function movedPath(path: string, from: string, to: string): string {
  return isWithin(path, from) ? `${to}${from === "/" && path !== "/" ? "/" : ""}${path.slice(from.length)}` : path;
}

/** What may stand right behind a path in a command. All else continues its last name: none of `/w/app-two`, `/w/app*` and `/w/app\ two` is `/w/app`. */
const BEHIND = /^(?:$|[/\s'"`;|&<>():,=}])/u;
/** What may stand before it: nothing of a name but an option's letters. In `/srv/w/app` there is no `/w/app`, in `-I/w/app` there is. */
const BEFORE = /(?:^|[^\p{L}\p{N}_.@%+~\\-]|(?:^|\s)-[A-Za-z]+)$/u;

/** The same for each path in the text of a command. */
export function movedText(text: string, from: string, to: string): string {
  const [first = "", ...rest] = text.split(from);
  let [moved, before] = [first, first];
  for (const behind of rest) {
    moved += `${BEFORE.test(before) && BEHIND.test(behind) ? to : from}${behind}`;
    before = `${from}${behind}`;
  }
  return moved;
}
