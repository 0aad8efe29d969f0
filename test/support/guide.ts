/** A part of a guide, in its order: a heading, or a block of text that a reader uses as it stands. */
export type GuidePart =
  | { readonly kind: "heading"; readonly text: string }
  /** ```yaml whose first line is `# NAME`: a file that the reader writes. */
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "crontab"; readonly line: string }
  /** A line `$ COMMAND   # NOTE` of a ```console block. */
  | { readonly kind: "command"; readonly command: string; readonly note: string };

/** Reads what a guide wants done. */
export function readGuide(text: string): readonly GuidePart[] {
  const parts: GuidePart[] = [];
  for (const { groups } of text.matchAll(/^(?:## (?<heading>.*)|```(?<language>\w+)\n(?<block>[\s\S]*?)\n```)$/gmu)) {
    const { heading, language, block = "" } = groups ?? {};
    if (heading !== undefined) parts.push({ kind: "heading", text: heading });
    else if (language === "yaml") parts.push({ kind: "file", name: /^# (\S+)\n/u.exec(block)?.[1] ?? "", text: `${block}\n` });
    else if (language === "crontab") parts.push({ kind: "crontab", line: block });
    else for (const [, command = "", note = ""] of block.matchAll(/^\$ (.*?)(?: {2,}# (.*))?$/gmu)) parts.push({ kind: "command", command, note });
  }
  return parts;
}
