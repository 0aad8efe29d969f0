// Opens the store in STATE, says so, and refuses the approval ID as another person when a line comes in.
import { answerApproval } from "../../../src/approvals/approval.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", id = ""] = process.argv.slice(2);
const store = openStore(state);
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  process.stdout.write(`${answerApproval({ store, clock: systemClock }, id, { kind: "refused", scope: "once", by: "bob@terminal" }).kind}\n`);
  store.close();
  process.stdin.destroy();
});
