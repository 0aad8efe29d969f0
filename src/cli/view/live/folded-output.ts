import { makeVisible } from "../../../base/text.ts";

const SHOWN_LINES = 6;
const SHOWN_COLUMNS = 160;

export type FoldedOutput = {
  /** Takes text as it arrives; returns the lines that are to be shown now. */
  add(text: string): readonly string[];
  /** The last lines and, when lines were folded away, how many. */
  end(): readonly string[];
};

/**
 * Folds a command's output for the live view: the first lines as they come, then only the last ones,
 * each made visible and cut to a terminal's width. The whole output is in the log's artifact, not here.
 */
export function createFoldedOutput(): FoldedOutput {
  let shown = 0;
  let hidden = 0;
  let open = "";
  const tail: string[] = [];
  const take = (line: string): string | null => {
    const visible = cut(makeVisible(line));
    if (shown < SHOWN_LINES) {
      shown += 1;
      return visible;
    }
    tail.push(visible);
    if (tail.length > 2) {
      tail.shift();
      hidden += 1;
    }
    return null;
  };
  return {
    add(text) {
      const lines = (open + text).split("\n");
      open = lines.pop() ?? "";
      if (open.length > 10_000) open = open.slice(-10_000);
      return lines.map(take).filter((line) => line !== null);
    },
    end() {
      const last = open === "" ? [] : [take(open)].filter((line) => line !== null);
      open = "";
      const folded = hidden > 0 ? [`… ${hidden} more lines …`] : [];
      return [...last, ...folded, ...tail.splice(0)];
    },
  };
}

function cut(line: string): string {
  return line.length <= SHOWN_COLUMNS ? line : `${line.slice(0, SHOWN_COLUMNS).toWellFormed()}…`;
}
