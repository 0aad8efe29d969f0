export type SearchView = {
  readonly mode: "content" | "files" | "count";
  readonly maxPerFile: number;
  readonly maxFiles: number;
  readonly show: (path: string) => string;
};

/** The output of `rg --null` with the caps applied, each cut stated. */
export function renderMatches(output: string, view: SearchView): { readonly text: string; readonly files: number } {
  if (view.mode === "files")
    return renderNames(
      output.split("\0").filter((name) => name.trim() !== ""),
      view,
    );
  return renderFiles(groupByFile(output), view);
}

/** The same of files with their lines, each `12:text`; in mode count a file has one line, its count. */
export function renderFiles(files: ReadonlyMap<string, readonly string[]>, view: SearchView): { readonly text: string; readonly files: number } {
  const shown = [...files].slice(0, view.maxFiles);
  const blocks = shown.map(([file, lines]) =>
    view.mode === "count" ? `${view.show(file)}: ${lines.join("")}` : renderFile(view.show(file), lines, view.maxPerFile),
  );
  const cut = files.size > shown.length ? `\n[${files.size - shown.length} more files match; narrow the search]` : "";
  return { text: blocks.join(view.mode === "count" ? "\n" : "\n\n") + cut, files: files.size };
}

/** Names of files, one a line. */
export function renderNames(names: readonly string[], view: SearchView): { readonly text: string; readonly files: number } {
  const shown = names.slice(0, view.maxFiles).map((name) => view.show(name.replace(/^\n/u, "")));
  const cut = names.length > shown.length ? `\n[${names.length - shown.length} more files match; narrow the search]` : "";
  return { text: shown.join("\n") + cut, files: names.length };
}

function groupByFile(output: string): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const line of output.split("\n")) {
    const end = line.indexOf("\0");
    if (end < 0) continue; // the `--` between groups of context, or the end
    const file = line.slice(0, end);
    const lines = files.get(file) ?? [];
    lines.push(line.slice(end + 1));
    files.set(file, lines);
  }
  return files;
}

// Each line is `12:text` for a match and `12-text` for its surroundings.
function renderFile(file: string, lines: readonly string[], maxPerFile: number): string {
  const kept: string[] = [];
  let matches = 0;
  for (const line of lines) {
    if (/^\d+:/u.test(line)) matches += 1;
    if (matches > maxPerFile) return `${file}\n${kept.join("\n")}\n[more matches in this file]`;
    kept.push(line);
  }
  return `${file}\n${kept.join("\n")}`;
}
