import type { CallView, RulingView } from "../call.ts";
import type { ComparisonView, PartView } from "../comparison-view.ts";
import type { Message } from "../side.ts";
import { element } from "./elements.ts";

const MARKS = { widens: "!", "may-widen": "?", tightens: "−" } as const;
const MEANINGS = { widens: "widens", "may-widen": "may widen", tightens: "tightens" } as const;

/** What is wrong with one of the texts. `goTo`: shows the place in its editor. */
export function messageList(messages: readonly Message[], ownFile: string, goTo: (line: number, column: number) => void): Node {
  return element(
    "ul",
    "messages",
    ...messages.map(({ severity, file, line, column, text }) => {
      const place = `${file === ownFile ? "" : `${file}:`}${String(line)}:${String(column)}`;
      if (file !== ownFile) return element("li", severity, element("span", "place", place), ` ${severity}: ${text}`);
      const button = element("button", "place", place);
      button.addEventListener("click", () => goTo(line, column));
      return element("li", severity, button, ` ${severity}: ${text}`);
    }),
  );
}

/** What the change changes: the answer first. */
export function comparison({ outcome, title, groups }: ComparisonView): Node {
  return element(
    "div",
    "",
    element("p", `outcome ${outcome}`, `The right policy ${title}${groups.length === 0 ? " as the left one" : ""}.`),
    ...groups.map((group) => element("section", "group", element("h3", "", `${group.title} (${String(group.parts.length)})`), ...group.parts.map(part))),
  );
}

function part({ direction, text, at, why, witnesses }: PartView): Node {
  const mark = element("span", `mark ${direction}`, MARKS[direction]);
  mark.title = MEANINGS[direction];
  return element(
    "div",
    "part",
    element("p", "head", mark, " ", element("code", "", text), " ", element("span", "place", at)),
    ...(why === "" ? [] : [element("p", "why", why)]),
    ...witnesses.map((witness) =>
      element(
        "p",
        "witness",
        element("code", "call", witness.text),
        witness.when === "" ? "" : element("span", "why", ` (${witness.when})`),
        " ",
        verdict(witness.before.verdict),
        ` ${witness.before.rule} → `,
        verdict(witness.after.verdict),
        ` ${witness.after.rule}`,
      ),
    ),
  );
}

function verdict(text: RulingView["verdict"]): Node {
  return element("span", `verdict ${text}`, text);
}

/** What both policies say about each call. */
export function callList(calls: readonly CallView[]): Node {
  return element(
    "div",
    "calls",
    ...calls.map(({ text, problem, before, after }) => {
      if (problem !== undefined) return element("p", "problem", element("code", "", text), ` ${problem}`);
      const differs = before !== null && after !== null && before.verdict !== after.verdict;
      return element(
        "details",
        differs ? "differs" : "",
        element("summary", "", ...shortRulings(before, after), element("code", "", text)),
        ruling("Left", before),
        ruling("Right", after),
      );
    }),
  );
}

function shortRulings(before: RulingView | null, after: RulingView | null): readonly (Node | string)[] {
  return [before === null ? "–" : verdict(before.verdict), " → ", after === null ? "–" : verdict(after.verdict), " "];
}

function ruling(side: string, view: RulingView | null): Node {
  if (view === null) return element("p", "why", `${side}: the policy is not valid.`);
  return element(
    "div",
    "ruling",
    element("p", "", element("b", "", side), ": ", verdict(view.verdict), ` · ${view.risk} risk. ${view.reason}`),
    element(
      "ul",
      "",
      ...view.units.map((unit) =>
        element("li", "", verdict(unit.verdict), " ", element("code", "", unit.subject), ` by ${unit.rule} `, element("span", "place", unit.at)),
      ),
    ),
  );
}
