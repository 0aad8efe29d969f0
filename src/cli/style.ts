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

/** `17 ms`, `1.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
