import type { Word } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";
import { addEffect } from "../reading/collector.ts";
import { literalValue, showWord } from "../../model/words.ts";

/** Actions of fzf 0.60 that move, choose, scroll and toggle. What runs a program, reads again or changes a preview is not among them. */
const ACTIONS = new Set(
  "abort accept accept-non-empty accept-or-print-query backward-char backward-delete-char backward-delete-char/eof backward-kill-subword backward-kill-word backward-subword backward-word beginning-of-line best bell bg-cancel cancel clear-multi clear-query clear-screen clear-selection close delete-char delete-char/eof deselect deselect-all disable-raw disable-search down down-match down-selected enable-raw enable-search end-of-line exclude exclude-multi first forward-char forward-subword forward-word half-page-down half-page-up hide-header hide-input hide-preview ignore jump kill-line kill-subword kill-word last next-history next-selected offset-down offset-middle offset-up page-down page-up prev-history prev-selected preview-bottom preview-down preview-half-page-down preview-half-page-up preview-page-down preview-page-up preview-top preview-up print-query put refresh-preview replace-query select select-all show-header show-input show-preview toggle toggle+down toggle+up toggle-all toggle-bind toggle-header toggle-hscroll toggle-in toggle-input toggle-multi-line toggle-out toggle-preview toggle-preview-wrap toggle-raw toggle-search toggle-sort toggle-track toggle-track-current toggle-wrap track track-current unix-line-discard unix-word-rubout up up-match up-selected yank".split(
    " ",
  ),
);

/** `KEY:ACTION+ACTION,KEY:ACTION`, where no action has an argument: an argument is a program's text, or may be one. */
export function readFzfBind(to: Collector, word: Word): void {
  const text = literalValue(word);
  const isHarmless = text?.split(",").every((binding) => {
    const match = /^([^:+()[\]{}]{1,32}):([a-z/+-]+)$/.exec(binding);
    return match !== null && (match[2] ?? "").split("+").every((action) => ACTIONS.has(action));
  });
  if (isHarmless !== true) addEffect(to, "runs-code", word.span, `an action in ${showWord(word)} may make \`fzf\` run a program`);
}
