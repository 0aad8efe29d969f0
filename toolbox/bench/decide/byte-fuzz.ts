import type { Scene } from "./scene.ts";
import { timedOnProcessor } from "../../shared/samples.ts";

/** Longer than any text of 16 KiB may take, of the processor's time. */
const SLOW_MS = 1000;

export type FuzzReport = {
  readonly seed: number;
  readonly cases: number;
  readonly slowestMs: number;
  readonly slowest: string;
  /** Inputs that threw, that the analysis failed on, or that took longer than a second: each with what happened. */
  readonly faults: readonly { readonly what: string; readonly input: string }[];
};

/**
 * Decides and explains texts that nobody wrote, for some seconds: noise, and commands with bytes changed, cut, doubled and joined. A
 * fault of the analysis is one although it is answered as undecidable.
 */
export function fuzzBytes(scene: Scene, corpus: readonly string[], { seconds, seed }: { readonly seconds: number; readonly seed: number }): FuzzReport {
  const random = randomOf(seed);
  const end = performance.now() + seconds * 1000;
  const faults: { what: string; input: string }[] = [];
  let cases = 0;
  let slowestMs = 0;
  let slowest = "";
  while (performance.now() < end && faults.length < 20) {
    const input = nextInput(random, corpus);
    cases += 1;
    let what: string | null = null;
    const tookMs = timedOnProcessor(() => {
      what = faultOf(scene, input);
    });
    if (tookMs > slowestMs) {
      slowestMs = tookMs;
      slowest = input;
    }
    if (what === null && tookMs > SLOW_MS) what = `it took ${Math.round(tookMs)} ms`;
    if (what !== null) faults.push({ what, input });
  }
  return { seed, cases, slowestMs, slowest, faults };
}

function faultOf(scene: Scene, input: string): string | null {
  try {
    scene.explain(input);
    const failed = scene.analyse(input).undecidable.find((entry) => entry.code === "analysis-failed");
    return failed === undefined ? null : "the analysis failed";
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

type Random = (below: number) => number;

/** xorshift32: the same cases for the same seed. */
function randomOf(seed: number): Random {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const SPECIAL = "$(){}[]`'\"\\<>|&;#!*?~=-+:/,.@%^ \t\n\0\r\u200b\u202e\ud800é日😀abEOF012";

function nextInput(random: Random, corpus: readonly string[]): string {
  const kind = random(10);
  if (kind === 0) return Buffer.from(Array.from({ length: random(200) }, () => random(256))).toString("latin1");
  if (kind === 1) return Buffer.from(Array.from({ length: random(200) }, () => random(256))).toString("utf8");
  if (kind === 2) return Array.from({ length: random(300) }, () => SPECIAL.charAt(random(SPECIAL.length))).join("");
  let text = pick(random, corpus);
  for (let times = random(6); times >= 0; times -= 1) text = changed(text, random, corpus);
  return text.slice(0, 20_000);
}

function changed(text: string, random: Random, corpus: readonly string[]): string {
  const at = random(text.length + 1);
  const to = Math.min(text.length, at + random(12));
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + SPECIAL.charAt(random(SPECIAL.length)) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, to) + text.slice(at, to).repeat(random(random(50) === 0 ? 2000 : 6)) + text.slice(to);
    case 3: {
      const other = pick(random, corpus);
      return text.slice(0, at) + other.slice(random(other.length));
    }
    case 4:
      return text.slice(0, at) + String.fromCharCode(random(random(3) === 0 ? 0x1_0000 : 128)) + text.slice(Math.min(text.length, at + 1));
    default:
      return `${text.slice(0, at)}${pick(random, ["$(", "`", "<(", "${", '"', "'", "<<E\n", "((", "[[ ", "{ ", "bash -c '", "eval ", "for f in "])}${text.slice(at)}`;
  }
}

function pick(random: Random, from: readonly string[]): string {
  return from[random(from.length)] ?? "";
}
