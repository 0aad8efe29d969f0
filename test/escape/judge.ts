import type { Outcome } from "../../src/sandbox/outcome.ts";
import type { Attack } from "./attack.ts";
import { SECRET_PREFIX } from "./place.ts";

/** `broken`: it proves nothing, because the attack itself did not work as it should. */
export type Verdict = { readonly id: string; readonly result: "held" | "escaped" | "broken" | "exempt"; readonly detail: string; readonly durationMs: number };

export type Finding = Pick<Verdict, "result" | "detail">;

const HELD: Finding = { result: "held", detail: "" };

/** What the printed lines of an attack say. */
export function judgeLines(text: string): Finding {
  const lines = text.split("\n");
  const leak = lines.find((line) => line.includes(SECRET_PREFIX));
  if (leak !== undefined) return { result: "escaped", detail: "a secret of the host was printed" };
  const escaped = lines.filter((line) => line.startsWith("ESCAPED "));
  if (escaped.length > 0) return { result: "escaped", detail: escaped.join("; ").slice(0, 300) };
  const broken = lines.find((line) => line.startsWith("BROKEN "));
  if (broken !== undefined) return { result: "broken", detail: broken };
  if (!lines.some((line) => line.startsWith("HELD "))) return { result: "broken", detail: `it said nothing: ${JSON.stringify(text.slice(0, 200))}` };
  return { result: "held", detail: `${String(lines.filter((line) => line.startsWith("HELD ")).length)} attempts` };
}

/** How a command ended and what it printed. */
export function judgeOutcome(attack: Attack, outcome: Outcome): Finding {
  const result = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
  const text = result?.kind === "exec" ? `${result.stdout.text}\n${result.stderr.text}` : "";
  const ending =
    outcome.kind === "completed" && result?.kind === "exec" && (result.signal === "SIGKILL" || result.exitCode === 137)
      ? "killed"
      : outcome.kind === "failed" && outcome.code === "quarantined"
        ? "quarantined"
        : outcome.kind;
  if (ending === "quarantined" && attack.ends === ending) return HELD;
  const finding = judgeLines(text);
  if (finding.result === "escaped") return finding;
  if (ending !== attack.ends) return { result: "escaped", detail: `it ended otherwise: ${JSON.stringify(outcome).slice(0, 300)}` };
  return finding;
}

/** A file verb must fail with one of the stated words. */
export function judgeVerb(answers: readonly string[], outcome: Outcome): Finding {
  if (outcome.kind === "failed" && answers.includes(outcome.code)) return HELD;
  return { result: "escaped", detail: `a verb answered ${JSON.stringify(outcome).slice(0, 300)}` };
}

/** The screen of a person must show the end of the output and no character that steers a terminal or hides. */
export function judgeScreen(screen: string): Finding {
  if (!screen.includes("end")) return { result: "broken", detail: `the command did not run: ${JSON.stringify(screen.slice(0, 300))}` };
  // Line feeds, and the carriage returns that the terminal's own line discipline puts before them.
  const text = screen.replaceAll("\r\n", "\n");
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u.exec(text);
  if (steering === null) return HELD;
  return { result: "escaped", detail: `U+${(steering[0].codePointAt(0) ?? 0).toString(16)} reached the terminal` };
}

/** The worst of several findings. */
export function worstOf(findings: readonly Finding[]): Finding {
  return findings.find(({ result }) => result === "escaped") ?? findings.find(({ result }) => result === "broken") ?? findings[0] ?? HELD;
}
