import type { PlaygroundInput } from "../evaluate.ts";
import { byId } from "./elements.ts";
import { Evaluator } from "./evaluator.ts";
import { callList, comparison, messageList } from "./render.ts";

/** As long as somebody who types pauses. */
const PAUSE_MS = 200;

const SIDES = ["before", "after"] as const;
type Side = (typeof SIDES)[number];

const shipped = JSON.parse(byId("shipped", HTMLScriptElement).text) as Readonly<Record<string, string>>;
const editor = (side: Side): HTMLTextAreaElement => byId(side, HTMLTextAreaElement);
const checked = (id: string): boolean => byId(id, HTMLInputElement).checked;
const state = byId("state", HTMLElement);
const results = byId("results", HTMLElement);

const evaluator = new Evaluator(byId("worker", HTMLScriptElement).text, shipped, (answer) => {
  if ("fault" in answer) {
    state.textContent = answer.fault;
    return;
  }
  const { view } = answer;
  for (const side of SIDES)
    byId(`${side}-messages`, HTMLElement).replaceChildren(messageList(view[side], `${side}.yaml`, (line, column) => select(side, line, column)));
  state.textContent = view.comparison === null ? "There is no comparison until both policies are valid." : "";
  results.replaceChildren(...(view.comparison === null ? [] : [comparison(view.comparison)]));
  byId("rulings", HTMLElement).replaceChildren(callList(view.calls));
});

function select(side: Side, line: number, column: number): void {
  const area = editor(side);
  const start = area.value.split("\n", line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  area.focus();
  area.setSelectionRange(start + column - 1, start + column);
}

function inputNow(): PlaygroundInput {
  return {
    before: editor("before").value,
    after: editor("after").value,
    calls: byId("calls", HTMLTextAreaElement).value.split("\n"),
    containment: checked("contained") ? "profile" : "none",
    seen: (["tainted", "sensitive"] as const).filter((sight) => checked(sight)),
    nowMs: Date.now(),
  };
}

function askNow(): void {
  state.textContent = "Comparing…";
  evaluator.ask(inputNow());
}

let pause: ReturnType<typeof setTimeout> | undefined;
document.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(askNow, PAUSE_MS);
});

for (const side of SIDES) {
  const choice = byId(`${side}-shipped`, HTMLSelectElement);
  choice.append(...Object.keys(shipped).map((name) => new Option(name)));
  choice.addEventListener("change", () => {
    if (choice.value !== "") editor(side).value = shipped[choice.value] ?? "";
    choice.value = "";
    askNow();
  });
}
byId("swap", HTMLButtonElement).addEventListener("click", () => {
  const [before, after] = [editor("before"), editor("after")];
  [before.value, after.value] = [after.value, before.value];
  askNow();
});
askNow();
