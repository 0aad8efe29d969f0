/** A screen of a terminal: what a person sees once everything was written, and nothing that scrolled away. */
export type Screen = {
  write(text: string): void;
  /** The rows from top to bottom, blanks at their ends cut. */
  rows(): readonly string[];
  /** What scrolled off the top. */
  readonly above: string[];
};

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
const NO_WIDTH = /^(?:\p{Mn}|\p{Me}|\p{Default_Ignorable_Code_Point})$/u;

/** As a terminal of xterm's kind draws it: it wraps, scrolls, and knows carriage return, backspace, colours and clearing a line. Anything else throws. */
export function createScreen(columns: number, height: number): Screen {
  const lines: string[][] = Array.from({ length: height }, () => []);
  const above: string[] = [];
  let [row, column] = [0, 0];
  const textOf = (line: readonly string[]): string =>
    Array.from(line, (cell) => cell ?? " ")
      .join("")
      .trimEnd();
  const feed = (): void => {
    row += 1;
    if (row < height) return;
    row = height - 1;
    above.push(textOf(lines.shift() ?? []));
    lines.push([]);
  };
  const put = (character: string): void => {
    if (NO_WIDTH.test(character)) return;
    const width = WIDE.test(character) ? 2 : 1;
    if (column + width > columns) {
      column = 0;
      feed();
    }
    const line = lines[row] ?? [];
    while (line.length < column) line.push(" ");
    line[column] = character;
    // The other half of a wide character is no cell of its own in the text.
    if (width === 2) line[column + 1] = "";
    column += width;
  };
  const control = (sequence: string): void => {
    if (sequence.endsWith("m")) return;
    if (sequence === "\u001b[2K") lines[row] = [];
    else throw new Error(`the screen was sent ${JSON.stringify(sequence)}`);
  };
  return {
    above,
    rows: () => lines.map(textOf),
    write(text) {
      for (const part of text.match(/\u001b\[[0-9;]*[A-Za-z]|[^]/gu) ?? []) {
        if (part.length > 1 && part.startsWith("\u001b")) control(part);
        else if (part === "\n") feed();
        else if (part === "\r") column = 0;
        else if (part === "\b") column = Math.max(0, column - 1);
        else if (/^[\u0000-\u001f\u007f-\u009f]$/u.test(part)) throw new Error(`the screen was sent ${JSON.stringify(part)}`);
        else put(part);
      }
    },
  };
}
