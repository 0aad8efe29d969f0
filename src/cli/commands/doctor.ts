import { examineMachine, type Finding } from "../../app/doctor/machine.ts";
import { examineSandbox, type SandboxReport } from "../../app/doctor/sandbox.ts";
import { makeVisibleLine, visibleJson } from "../../base/text.ts";
import type { Property } from "../../sandbox/runtime.ts";
import { EXIT } from "../process/exit-code.ts";
import { paint } from "../view/style.ts";

const MARK: Readonly<Record<Finding["state"], string>> = { ok: "✓", missing: "✗", note: "·" };
const STYLE = { ok: "green", missing: "red", note: "dim" } as const;

export type DoctorOptions = { readonly json?: boolean; /** Whose sandbox is opened and looked at. */ readonly policy?: string };

/**
 * `warder doctor`: what this machine offers, and a sandbox opened and compared property by property with what the policy wants. Exit 6 when
 * the Docker sandbox, which the shipped policies want, cannot be used or is not what it should be.
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = await examineMachine();
  const isReady = findings.every((finding) => !finding.isNeeded || finding.state !== "missing");
  const sandbox = await examineSandbox(options.policy ?? "unattended");
  const isSound = sandbox.failure === null && sandbox.properties.every(({ isMet }) => isMet !== false);
  if (options.json === true) process.stdout.write(`${visibleJson({ isReady: isReady && isSound, findings, sandbox })}\n`);
  else {
    const print = lineOf(findings);
    for (const finding of findings) print(finding);
    printSandbox(sandbox);
  }
  return isReady && isSound ? EXIT.done : EXIT.sandboxUnavailable;
}

function printSandbox({ policy, runtime, properties, failure }: SandboxReport): void {
  process.stdout.write(`\nA sandbox of ${makeVisibleLine(policy)} (${runtime}), opened and looked at:\n`);
  if (failure !== null) return lineOf([])({ state: "missing", what: "sandbox", detail: failure });
  const print = lineOf(properties);
  for (const property of properties) print({ state: stateOf(property), what: property.what, detail: detailOf(property) });
  const judged = properties.filter(({ isMet }) => isMet !== null);
  process.stdout.write(`${judged.filter(({ isMet }) => isMet === true).length} of ${judged.length} properties are as they should be\n`);
}

const stateOf = ({ isMet }: Property): Finding["state"] => (isMet === null ? "note" : isMet ? "ok" : "missing");

function detailOf({ isMet, expected, found, seenFrom }: Property): string {
  const value = found === "" ? "nothing" : found;
  if (isMet === false) return `expected ${expected === "" ? "nothing" : expected}, found ${value} (${seenFrom})`;
  return isMet === null ? value : `${value} (${seenFrom})`;
}

/** Prints lines below each other whose details begin in one column. */
function lineOf(all: readonly { readonly what: string }[]): (line: Pick<Finding, "state" | "what" | "detail" | "remedy">) => void {
  const width = Math.max(22, ...all.map(({ what }) => what.length));
  return ({ state, what, detail, remedy }) => {
    process.stdout.write(`${paint(STYLE[state], MARK[state])} ${what.padEnd(width)} ${makeVisibleLine(detail)}\n`);
    if (remedy !== undefined) process.stdout.write(`    ${makeVisibleLine(remedy)}\n`);
  };
}
