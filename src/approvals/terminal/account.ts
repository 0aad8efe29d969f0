import { userInfo } from "node:os";

/** Who sits at the terminal, as far as the system knows. */
export function personAtTerminal(): string {
  return `${accountName()}@terminal`;
}

/** The account that this process belongs to: who does what wants no person. A script and a daemon are named so, too. */
export function ownAccount(): string {
  return `${accountName()}@account`;
}

/** A process of a container or of a service may run as a number that no list of accounts has a name for. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
