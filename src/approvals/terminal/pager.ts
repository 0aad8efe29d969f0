import type { TerminalDevice } from "./device.ts";

/** Shows rows a screen at a time. True: all of them were shown; false: somebody had enough, or the terminal is gone. */
export async function page(device: TerminalDevice, rows: readonly string[], signal: AbortSignal): Promise<boolean> {
  const step = Math.max(1, device.size().rows - 2);
  for (let at = 0; at < rows.length; at += step) {
    device.write(`${rows.slice(at, at + step).join("\n")}\n`);
    const isLast = at + step >= rows.length;
    device.flushInput();
    device.write(isLast ? "-- that is all of it: any key for the question --" : `-- ${at + step} of ${rows.length} rows: any key for more, [q] back --`);
    const keys = await device.nextKeys(signal);
    device.write("\n");
    if (keys === null || (!isLast && /[q\u0003\u0004\u001b]/u.test(keys))) return false;
  }
  return true;
}
