import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { markdown } from "./sentences.ts";

/** A link or a path of the repository that a page names, and the line of its paragraph. */
export type Mention = { readonly kind: "link" | "path"; readonly line: number; readonly target: string };

const IN_CODE = /(?<![\w./~$-])(?:src|test|docs|scripts|policies|sandbox|schemas|toolbox)\/[^\s"'`,;:()|]*/gu;

/** A glob or a placeholder (`policies/NAME.yaml`, `docs/…`) names no one file. */
const NAMES_NO_FILE = /[*?[\]{}<>…$%]|\.\.\.|(?:^|\/)[A-Z][A-Z0-9-]+(?:\.[a-z.]+)?(?:\/|$)/u;

/** What `scripts/setup` makes. */
const IS_BUILT = /^sandbox\/build(?:\/|$)/u;

/** The relative links of a page, and the paths of the repository that stand in its inline code. */
export function mentionsOf(page: string): readonly Mention[] {
  const mentions: Mention[] = [];
  let line = 1;
  for (const token of markdown.parse(page, {})) {
    if (token.map !== null) line = token.map[0] + 1;
    let at = line;
    for (const child of token.type === "inline" ? (token.children ?? []) : []) {
      if (child.type === "softbreak" || child.type === "hardbreak") at += 1;
      const target = child.attrGet("href") ?? child.attrGet("src");
      if (typeof target === "string" && !/^[a-z]+:/u.test(target)) mentions.push({ kind: "link", line: at, target });
      if (child.type === "code_inline") {
        for (const [found] of child.content.matchAll(IN_CODE)) mentions.push({ kind: "path", line: at, target: found.replace(/\.$/u, "") });
      }
    }
  }
  return mentions;
}

/** The anchors that a forge makes of a page's headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const tokens = markdown.parse(page, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "heading_open") continue;
    const text = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join("");
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a mention on a page of the repository `root`; undefined where it holds. */
export function brokenMention(root: string, page: { readonly file: string; readonly text: string }, { kind, target }: Mention): string | undefined {
  if (kind === "path") {
    // `sandbox/egress/` may be a room of `src/`.
    if (existsSync(path.join(root, target)) || existsSync(path.join(root, "src", target))) return undefined;
    if (NAMES_NO_FILE.test(target) || IS_BUILT.test(target)) return undefined;
    return `there is no ${target}`;
  }
  const [place = "", anchor] = target.split("#");
  const linked = place === "" ? page.file : path.posix.join(path.posix.dirname(page.file), decodeURIComponent(place));
  if (!existsSync(path.join(root, linked))) return `there is no ${linked}`;
  if (anchor === undefined || !linked.endsWith(".md")) return undefined;
  const text = place === "" ? page.text : readFileSync(path.join(root, linked), "utf8");
  if (anchorsOf(text).has(anchor)) return undefined;
  return `${linked} has no heading #${anchor}`;
}
