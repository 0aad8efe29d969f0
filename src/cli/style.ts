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

/** `17 ms`, `1.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
