import { withRecords, openRecords } from "../../app/records.ts";
import { confirmAtTerminal, personAtTerminal } from "../../approvals/terminal.ts";
import { AgentError } from "../../base/errors.ts";
import { setStopSwitch } from "../../gate/stop-switch.ts";
import { EXIT } from "../exit-code.ts";

/** `warder stop`: from now on nothing runs in any process, and what runs is ended. Anybody who can call it may stop. */
export function stop(): number {
  return withRecords(({ audit }) => {
    setStopSwitch(audit, "stopped", personAtTerminal());
    process.stdout.write("Stopped: nothing runs until a person says `warder start` at a terminal.\n");
    return EXIT.done;
  });
}

/** `warder start`: only a person at a terminal releases the stop switch. */
export async function start(): Promise<number> {
  const records = openRecords();
  try {
    const isConfirmed = await confirmAtTerminal("The stop switch is engaged for every run of this state directory. Releasing it lets runs go on.", "start");
    if (isConfirmed === null)
      throw new AgentError("usage", "The stop switch is released by a person at a terminal, and nobody answered at one. It stays as it was.");
    if (!isConfirmed) throw new AgentError("usage", "Another word was typed: the stop switch stays as it was.");
    setStopSwitch(records.audit, "running", personAtTerminal());
    process.stdout.write("Started: runs go on.\n");
    return EXIT.done;
  } finally {
    records.store.close();
  }
}
