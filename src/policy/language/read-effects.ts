import type { EffectKind } from "../../programs/effect.ts";
import type { Verdict } from "../decision.ts";
import { type Sight, SIGHTS } from "../label.ts";
import type { TightenedEffect } from "../policy.ts";
import { errorAt } from "../text/diagnostic.ts";
import type { Path, Reading } from "./reading-context.ts";
import type { EffectDocument, PolicyDocument, WhenDocument } from "./schema.ts";
import type { Stated } from "./statement.ts";

type StatedEffects = { readonly effects: ReadonlyMap<EffectKind, Stated<Verdict>>; readonly tightened: readonly TightenedEffect[] };
type Effects = NonNullable<NonNullable<PolicyDocument["commands"]>["effects"]>;

/** What a file says of effects: at most one plain verdict each, and what they are tightened to once something was seen. */
export function readEffects(document: Effects, reading: Reading, atKey: (kind: string) => Stated<unknown>["at"]): StatedEffects {
  const effects = new Map<EffectKind, Stated<Verdict>>();
  const tightened: TightenedEffect[] = [];
  for (const [kind, said] of Object.entries(document) as [EffectKind, EffectDocument | undefined][]) {
    if (said === undefined) continue;
    const isList = Array.isArray(said);
    for (const [index, one] of (isList ? said : [said]).entries()) {
      const path: Path = ["commands", "effects", kind, ...(isList ? [index] : [])];
      const at = isList ? reading.at(path) : atKey(kind);
      if (typeof one === "string") {
        if (effects.has(kind))
          reading.problems.push(errorAt(at, `\`${kind}\` has two verdicts without \`when\`.`, { remedy: "Leave one, or say when the other one holds." }));
        effects.set(kind, { value: one, at });
        continue;
      }
      const when = readWhen(one.when, [...path, "when"], reading);
      if (one.verdict === "allow") refuseAllow(`the effect \`${kind}\``, at, reading);
      else if (when !== null) tightened.push({ kind, verdict: one.verdict, when, at });
    }
  }
  return { effects, tightened };
}

/** In the order of the language. Null: it names one twice. */
export function readWhen(said: WhenDocument, path: Path, reading: Reading): readonly Sight[] | null {
  if (said === "always") return [];
  const named = typeof said === "string" ? [said] : said;
  const when = SIGHTS.filter((sight) => named.includes(sight));
  if (when.length === named.length) return when;
  reading.problems.push(errorAt(reading.at(path), "`when` names one twice.", { remedy: "Name each once: all that it names must have been seen." }));
  return null;
}

export function refuseAllow(what: string, at: Stated<unknown>["at"], reading: Reading): void {
  reading.problems.push(
    errorAt(at, `With \`when\`, ${what} can be asked about or denied, and not allowed.`, {
      why: "What a model was given can only tighten what it may do: whoever writes a page that it reads must open nothing.",
      remedy: "Allow it without `when`, and say `ask` or `deny` for when it does not hold.",
    }),
  );
}
