import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Text in a style when the stream is a terminal that wants colour (NO_COLOR and FORCE_COLOR are honoured), plain otherwise. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}

const VERDICT_STYLE: Readonly<Record<string, Style>> = { allow: "green", ask: "yellow", deny: ["bold", "red"] };

/** `allow`, `ask` or `deny` in its colour. */
export function paintVerdict(verdict: string): string {
  return paint(VERDICT_STYLE[verdict] ?? "reset", verdict);
}

/** `1 path`, `2 paths`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** US dollars: fractions of a cent are what most answers cost. */
export function usdText(usd: number): string {
  return usd.toFixed(usd < 1 && usd > 0 ? 4 : 2);
}

/** `17 ms`, `1.4 s`, `12 s`, `3 min 5 s`, `2 h`, `1 d 6 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return inParts(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? inParts(hours, "h", minutes % 60, "min") : inParts(Math.floor(hours / 24), "d", hours % 24, "h");
}

function inParts(most: number, unit: string, rest: number, smaller: string): string {
  return `${most} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`;
}

/** At most so many columns: many letters of East Asia, and pictures, take two. */
export function cutToWidth(text: string, columns: number): string {
  let taken = 0;
  let end = 0;
  for (const character of text) {
    taken += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(character) ? 2 : 1;
    if (taken > columns - 1) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}
