// Engages and releases the stop switch below STATE until it is killed; says "stopped" after the one and "starting" before the other.
import { writeSync } from "node:fs";
import { systemClock } from "../../../src/base/clock.ts";
import { setStopSwitch } from "../../../src/gate/stop-switch.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = ""] = process.argv.slice(2);
const log = { store: openStore(state), clock: systemClock };
for (;;) {
  setStopSwitch(log, "stopped", "program");
  writeSync(1, "stopped\n");
  writeSync(1, "starting\n");
  setStopSwitch(log, "running", "program");
}
