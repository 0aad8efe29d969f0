import { z } from "zod";
import { makeVisibleLine } from "../../base/text.ts";
import { readYaml } from "../../policy/text/yaml.ts";
import { MAIN_FILE } from "./folder.ts";

/** What a skill says of itself, in the lines between `---` at the beginning of its `SKILL.md`. */
export type FrontMatter = { readonly name: string; readonly description: string };

const MAX_KIBIBYTES = 16;

/** Of skills and their folders. */
export const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

/** Other keys of the format (`license`, `metadata`, `allowed-tools`) say nothing here: what may be called is the policy's alone. */
const shape = z.looseObject({
  name: z.string().max(64).regex(SKILL_NAME),
  description: z
    .string()
    .transform((text) => text.replaceAll(/\s+/gu, " ").trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(1024)
        .refine((text) => makeVisibleLine(text) === text),
    ),
});

const WANTED = `${MAIN_FILE} does not begin with name (lower-case letters, digits and single -) and description (at most 1024 characters) between two lines of ---`;

export function readFrontMatter(text: string): FrontMatter | { readonly problem: string } {
  const [, lines] = /^---[ \t]*\n([^]*?)\n---[ \t]*(?:\n|$)/u.exec(text) ?? [];
  if (lines === undefined) return { problem: WANTED };
  const reading = readYaml(MAIN_FILE, lines, MAX_KIBIBYTES);
  if ("diagnostics" in reading) return { problem: `${MAIN_FILE}: ${reading.diagnostics[0]?.message ?? "it cannot be read"}`.replace(/\.$/u, "") };
  const parsed = shape.safeParse(reading.text.value);
  return parsed.success ? { name: parsed.data.name, description: parsed.data.description } : { problem: WANTED };
}
