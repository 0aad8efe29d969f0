import { examineMachine, type Finding } from "../../app/examination.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { EXIT } from "../exit-code.ts";
import { paint } from "../style.ts";

const MARK: Readonly<Record<Finding["state"], string>> = { ok: "✓", missing: "✗", note: "·" };

/** `warder doctor`: what this machine offers. Exit 6 when the Docker sandbox, which the shipped policies want, cannot be used. */
export async function doctor(options: { json?: boolean }): Promise<number> {
  const findings = await examineMachine();
  const isReady = findings.every((finding) => !finding.isNeeded || finding.state !== "missing");
  if (options.json === true) process.stdout.write(`${JSON.stringify({ isReady, findings })}\n`);
  else {
    for (const finding of findings) {
      const style = finding.state === "ok" ? "green" : finding.state === "missing" ? "red" : "dim";
      process.stdout.write(`${paint(style, MARK[finding.state])} ${finding.what.padEnd(22)} ${makeVisibleLine(finding.detail)}\n`);
      if (finding.remedy !== undefined) process.stdout.write(`    ${makeVisibleLine(finding.remedy)}\n`);
    }
  }
  return isReady ? EXIT.done : EXIT.sandboxUnavailable;
}
