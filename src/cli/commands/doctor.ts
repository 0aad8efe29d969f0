import { examineMachine } from "../../app/doctor/machine.ts";
import { examineSandbox } from "../../app/doctor/sandbox.ts";
import { visibleJson } from "../../base/text.ts";
import { EXIT } from "../process/exit-code.ts";
import { doctorScreen, doctorTable } from "../view/doctor.ts";

export type DoctorOptions = { readonly json?: boolean; readonly verbose?: boolean; /** Whose sandbox is opened and looked at. */ readonly policy?: string };

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
  else process.stdout.write(options.verbose === true ? doctorTable(findings, sandbox) : doctorScreen(findings, sandbox));
  return isReady && isSound ? EXIT.done : EXIT.sandboxUnavailable;
}
