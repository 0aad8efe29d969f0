import type { TerminalDevice } from "./device.ts";

const LAST = "-- that is all of it: any key for the question --";

/**
 * Shows rows a screen at a time, as they are for the width of the window. A window that got smaller may not have held what was shown last: then it begins anew.
 * True: all of them were shown; false: somebody had enough, or the terminal is gone.
 */
export async function page(
  device: TerminalDevice,
  rowsFor: (columns: number) => readonly string[] | Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const shown = await pageAt(device, device.size(), rowsFor, signal);
    if (shown !== "window-changed") return shown === "all";
    device.write("-- the window has another size: from the top --\n");
  }
}

async function pageAt(
  device: TerminalDevice,
  size: ReturnType<TerminalDevice["size"]>,
  rowsFor: Parameters<typeof page>[1],
  signal: AbortSignal,
): Promise<"all" | "left" | "window-changed"> {
  const rows = await rowsFor(size.columns);
  const more = (at: number): string => `-- ${at} of ${rows.length} rows: any key for more, [q] back --`;
  // What the question below them pushes off the screen nobody has seen.
  const step = Math.max(1, size.rows - 1 - Math.ceil(Math.max(LAST.length, more(rows.length).length) / size.columns));
  for (let at = 0; at < rows.length; at += step) {
    device.write(`${rows.slice(at, at + step).join("\n")}\n`);
    const isLast = at + step >= rows.length;
    device.flushInput();
    device.write(isLast ? LAST : more(at + step));
    const keys = await device.nextKeys(signal);
    device.write("\n");
    if (keys === null || (!isLast && /[q\u0003\u0004\u001b]/u.test(keys))) return "left";
    const now = device.size();
    if (now.columns < size.columns || now.rows < size.rows) return "window-changed";
  }
  return "all";
}
