import { logIn, logOut } from "../../../app/mcp/login.ts";
import { withRecords, openRecords } from "../../../app/records/records.ts";
import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { EXIT } from "../../process/exit-code.ts";

/** `warder mcp login`: a person signs in to a server at an address, in their browser. */
export async function login(name: string): Promise<number> {
  const records = openRecords();
  try {
    const show = (url: string): void => void process.stderr.write(`Open this address in your browser, and sign in:\n\n  ${makeVisibleLine(url)}\n\n`);
    const issuer = await logIn(records, name, { show, by: personAtTerminal() });
    const shown = makeVisibleLine(name);
    process.stdout.write(issuer === null ? `${shown} wants nobody to sign in.\n` : `Signed in to ${shown} at ${makeVisibleLine(issuer)}.\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** `warder mcp logout`: what a person signed in for is forgotten here. */
export function logout(name: string): number {
  withRecords((records) => {
    logOut(records, name);
  });
  process.stdout.write(`Nothing is kept of a sign-in to ${makeVisibleLine(name)}.\n`);
  return EXIT.done;
}
