import { readContext, type WorkspaceContext } from "../../../app/setup/context.ts";
import { UnconfirmedPolicy } from "../../../config/policy/load.ts";
import { baseLines } from "../../view/policy/unconfirmed.ts";

/**
 * Loads a policy for a workspace as `readContext` does. What nobody confirmed of it is shown to a person at the terminal, with what it changes, and they are asked. Without
 * `canAsk` it is refused, with what to type. Says in a line that a base revision holds, and not the working tree.
 */
export async function readContextAsking(policy: string, workspace: string, canAsk: boolean): Promise<WorkspaceContext> {
  const context = await loadAsking(policy, workspace, canAsk);
  for (const line of baseLines(context.base)) process.stderr.write(`warder: ${line}\n`);
  return context;
}

async function loadAsking(policy: string, workspace: string, canAsk: boolean): Promise<WorkspaceContext> {
  try {
    return readContext(policy, workspace);
  } catch (error) {
    if (!(error instanceof UnconfirmedPolicy) || !canAsk) throw error;
    const { confirmTexts } = await import("./confirm.ts");
    await confirmTexts(error.files, error.chain);
    return readContext(policy, workspace);
  }
}

/** Whether somebody at a terminal can be asked before a command begins. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}
