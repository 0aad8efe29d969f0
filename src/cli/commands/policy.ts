import { personAtTerminal } from "../../approvals/terminal.ts";
import { openTerminal } from "../../approvals/terminal-device.ts";
import { AgentError } from "../../base/errors.ts";
import { makeVisible } from "../../base/text.ts";
import { readPolicyFile } from "../../config/policy-files.ts";
import { stateDirectory } from "../../config/state-directory.ts";
import { trustPolicy } from "../../config/trust.ts";
import { checkPolicyFile } from "../../app/policy-check.ts";
import { EXIT } from "../exit-code.ts";
import { paint } from "../style.ts";

/** `warder policy check FILE`: exit 0 when it can be loaded, 78 with every diagnostic when not. */
export function checkPolicy(file: string, options: { workspace: string }): number {
  const { policy, renderedWarnings } = checkPolicyFile(file, options.workspace);
  if (renderedWarnings !== "") process.stdout.write(`${makeVisible(renderedWarnings)}\n\n`);
  process.stdout.write(`${paint("green", "ok")} ${policy.name}: ${policy.autonomy} autonomy, ${policy.commands.rules.length} rules, ${policy.sandbox.runtime} sandbox, ${policy.sandbox.workspace} workspace; digest ${policy.digest.slice(0, 12)}\n`);
  return EXIT.done;
}

/** `warder policy trust FILE`: shows the text and asks at the terminal, so that nothing but a person can confirm it. */
export function trust(file: string): number {
  const read = readPolicyFile(file, file);
  const device = openTerminal();
  if (device === null) throw new AgentError("usage", "A policy is trusted by a person at a terminal, and there is none here.");
  device.close();
  process.stdout.write(`${makeVisible(read.text)}\n`);
  const { path, sha256 } = trustPolicy(read, stateDirectory(process.env), new Date());
  process.stdout.write(`${personAtTerminal()} trusts ${makeVisible(path)} as it is now (sha256 ${sha256}).\n`);
  return EXIT.done;
}
