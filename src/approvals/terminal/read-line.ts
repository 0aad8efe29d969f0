import type { TerminalDevice } from "./device.ts";

export type TypedLine = { readonly kind: "line"; readonly text: string } | { readonly kind: "interrupted" } | { readonly kind: "gone" };

const MAX_CHARACTERS = 2_000;

/** Reads one line with backspace, echoing printable characters only. Ctrl-C and Ctrl-D interrupt. */
export async function readLine(device: TerminalDevice, signal: AbortSignal): Promise<TypedLine> {
  let text = "";
  for (;;) {
    const keys = await device.nextKeys(signal);
    if (keys === null) return { kind: "gone" };
    for (const key of keys) {
      if (key === "\r" || key === "\n") {
        device.write("\n");
        return { kind: "line", text };
      }
      if (key === "\u0003" || key === "\u0004") return { kind: "interrupted" };
      if (key === "\u007f" || key === "\b") {
        if (text !== "") device.write("\b \b");
        text = [...text].slice(0, -1).join("");
      } else if (/^[^\p{C}]$/u.test(key) && text.length < MAX_CHARACTERS) {
        text += key;
        device.write(key);
      }
    }
  }
}
